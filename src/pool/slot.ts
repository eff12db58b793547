import type { ClaudeProcess } from '../claude/process.ts'
import type { ProcessState } from '../protocol/event.ts'
import type { Session } from '../session/session.ts'
import type { Candidate } from './eviction.ts'

/** A place in the pool, held by one session from the decision to start its process until that has gone. */
export class Slot implements Candidate {
  readonly session: Session
  process: ClaudeProcess | undefined
  lastUsedAt: number
  takeBackIdleTimer: () => void = () => {}
  #reserved = true
  #waiting: (() => void)[] = []

  constructor(session: Session, now: number) {
    this.session = session
    this.lastUsedAt = now
  }

  get state(): ProcessState {
    return this.process?.state ?? 'spawning'
  }

  get evictable(): boolean {
    return !this.#reserved && this.process !== undefined && this.process.isQuiet
  }

  /** Its process can be given a message at once. */
  get isWarm(): boolean {
    return !this.#reserved && this.process?.state === 'idle'
  }

  get isReserved(): boolean {
    return this.#reserved
  }

  reserve(): void {
    this.#reserved = true
    this.takeBackIdleTimer()
  }

  release(now: number): void {
    this.#reserved = false
    this.lastUsedAt = now
    this.#tell()
  }

  /** Nobody holds it any more, and it is out of the pool. */
  free(): void {
    this.takeBackIdleTimer()
    this.#tell()
  }

  /** Settles at the next release, or when the slot is freed: then look again. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #tell(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const tell of waiting) tell()
  }
}
