import type { AgentProcess } from '../../base/agent/process.ts'
import type { ProcessState } from '../../base/protocol/event.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Session } from '../session/session.ts'
import type { Candidate } from './eviction.ts'

/**
 * A place in the pool. It belongs to one session from the decision to start its process until the process has ended.
 */
export class Slot implements Candidate {
  readonly session: Session
  /** The configuration at the time when the start of the process began. */
  #config: Config
  /** Identifies the directory in which the process started. Undefined if unknown. */
  #directory: string | undefined
  #process: AgentProcess | undefined
  lastUsedAt: number
  cancelIdleTimer: () => void = () => {}
  #reserved = true
  #retired = false
  #waiting: (() => void)[] = []

  constructor(session: Session, config: Config, now: number) {
    this.session = session
    this.#config = config
    this.lastUsedAt = now
  }

  get config(): Config {
    return this.#config
  }

  get directory(): string | undefined {
    return this.#directory
  }

  /** Undefined while the process is starting. */
  get process(): AgentProcess | undefined {
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

  /** Whether the process can take a message at once. */
  get isWarm(): boolean {
    return this.#isFree && this.#process?.state === 'idle'
  }

  /** Whether the slot is reserved or about to end. */
  get isTaken(): boolean {
    return !this.#isFree
  }

  get isEnding(): boolean {
    return this.#retired
  }

  get #isFree(): boolean {
    return !this.#reserved && !this.#retired
  }

  /** Call this when the process is about to start in this directory. */
  starts(directory: string | undefined, config: Config): void {
    this.#directory = directory
    this.#config = config
  }

  started(process: AgentProcess): void {
    this.#process = process
    this.#tell()
  }

  reserve(): void {
    this.#reserved = true
    this.cancelIdleTimer()
  }

  /** Call this when the slot is to end. No further turn gets it. */
  retire(): void {
    this.#retired = true
    this.cancelIdleTimer()
  }

  release(now: number): void {
    this.#reserved = false
    this.lastUsedAt = now
    this.#tell()
  }

  /** Call this when the slot has left the pool. */
  free(): void {
    this.#reserved = false
    this.cancelIdleTimer()
    this.#tell()
  }

  /**
   * Resolves when the process has started, or the slot has been released or freed. The caller must check the state
   * again.
   */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Resolves once the slot is no longer reserved. */
  async unused(): Promise<void> {
    while (this.#reserved) await this.changed()
  }

  #tell(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const tell of waiting) tell()
  }
}
