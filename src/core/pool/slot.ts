import type { ProcessState } from '../../base/protocol/event.ts'
import type { ClaudeProcess } from '../../claude/driver/process.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Session } from '../session/session.ts'
import type { Candidate } from './eviction.ts'

/** A place in the pool, held by one session from the decision to start its process until that has gone. */
export class Slot implements Candidate {
  readonly session: Session
  /** In force when its process was started. */
  readonly config: Config
  #process: ClaudeProcess | undefined
  lastUsedAt: number
  cancelIdleTimer: () => void = () => {}
  #reserved = true
  #retired = false
  #waiting: (() => void)[] = []

  constructor(session: Session, config: Config, now: number) {
    this.session = session
    this.config = config
    this.lastUsedAt = now
  }

  /** Undefined while it starts. */
  get process(): ClaudeProcess | undefined {
    return this.#process
  }

  get cacheMs(): number {
    return this.#process?.context.cacheMs ?? 0
  }

  get state(): ProcessState {
    return this.#process?.state ?? 'spawning'
  }

  get evictable(): boolean {
    return this.#isFree && this.#process !== undefined && this.#process.isQuiet
  }

  /** Its process can be given a message at once. */
  get isWarm(): boolean {
    return this.#isFree && this.#process?.state === 'idle'
  }

  /** Somebody works with it, or is about to end it. */
  get isTaken(): boolean {
    return !this.#isFree
  }

  get isEnding(): boolean {
    return this.#retired
  }

  get #isFree(): boolean {
    return !this.#reserved && !this.#retired
  }

  started(process: ClaudeProcess): void {
    this.#process = process
    this.#tell()
  }

  reserve(): void {
    this.#reserved = true
    this.cancelIdleTimer()
  }

  /** It is given to nobody any more: it will end. */
  retire(): void {
    this.#retired = true
    this.cancelIdleTimer()
  }

  release(now: number): void {
    this.#reserved = false
    this.lastUsedAt = now
    this.#tell()
  }

  /** Nobody holds it any more, and it is out of the pool. */
  free(): void {
    this.#reserved = false
    this.cancelIdleTimer()
    this.#tell()
  }

  /** Settles when it has started, at the next release, or when the slot is freed: then look again. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Settles when nobody works with it. */
  async unused(): Promise<void> {
    while (this.#reserved) await this.changed()
  }

  #tell(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const tell of waiting) tell()
  }
}
