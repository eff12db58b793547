import type { World } from './world.ts'

interface VoiceOptions {
  readonly world: World
  readonly sessionId: string
  readonly bare: boolean
}

/** Writes lines on stdout. */
export class Voice {
  readonly #options: VoiceOptions
  /** What the process calls its session: another one when a script wants it to lie. */
  sessionId: string

  constructor(options: VoiceOptions) {
    this.#options = options
    this.sessionId = options.sessionId
  }

  line(value: Record<string, unknown>): void {
    this.#options.world.stdout(`${JSON.stringify(value)}\n`)
  }

  /** A line with the session's id and its own uuid, unless one is given. */
  event(value: Record<string, unknown>): string {
    const uuid = typeof value['uuid'] === 'string' ? value['uuid'] : this.#options.world.newId()
    this.line({ ...value, session_id: this.sessionId, uuid })
    return uuid
  }

  /** A line that a bare fake leaves out. */
  extra(value: Record<string, unknown>): void {
    if (!this.#options.bare) this.event(value)
  }

  timestamp(): string {
    return new Date(this.#options.world.clock.now()).toISOString()
  }
}
