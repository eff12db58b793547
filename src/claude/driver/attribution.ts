import { echoedUuid, isSystem, isUnsolicited, type Line } from './line.ts'

/** What a line means for the current delivery. */
export type Attributed =
  | { readonly kind: 'ours'; readonly lines: readonly Line[] }
  | { readonly kind: 'result'; readonly lines: readonly Line[]; readonly result: Line }
  /** A turn that the CLI started by itself has ended; it answers no delivery. */
  | { readonly kind: 'unsolicited'; readonly lines: readonly Line[] }
  | { readonly kind: 'held' }
  /** The conversation already has a message with the expected uuid: the CLI does nothing more for it. */
  | { readonly kind: 'known' }

const maxHeld = 1000

/**
 * Decides which lines belong to a delivery. The CLI can start turns of its own, such as after a background task, before
 * or between deliveries. A result belongs to the delivery that the result or the lines before it name. Lines are held
 * until their owner is known.
 */
export class Attribution {
  #expected: string | undefined
  #alone = false
  #isCommand = false
  #owned = false
  #keepsAll = false
  #held: Line[] = []

  /**
   * Expects the turn of the delivery `uuid`: lines that name it claim the lines around them. `alone`: the process did
   * nothing when the message was written, so the next turn is this one. Otherwise the echo of the message claims the
   * turn; it comes with the first output. `isCommand`: the echo of a command of Claude Code has no time and follows no
   * init.
   */
  expect(uuid: string, alone: boolean, isCommand = false): void {
    this.#expected = uuid
    this.#alone = alone
    this.#isCommand = isCommand
    this.#owned = false
  }

  /** The CLI has begun the turn of the expected delivery. */
  get isOwned(): boolean {
    return this.#owned || this.#keepsAll
  }

  /** Until `forget`, every line belongs to the delivery just answered, whose background tasks report. */
  keepAll(): void {
    this.#keepsAll = true
  }

  /** Stops expecting a delivery, and ends `keepAll`. */
  forget(): void {
    this.#keepsAll = false
    this.#expected = undefined
    this.#owned = false
  }

  take(line: Line): Attributed {
    if (this.#keepsAll)
      return line.type === 'result' ? { kind: 'result', lines: [line], result: line } : { kind: 'ours', lines: [line] }
    if (this.#isKnown(line)) {
      this.forget()
      return { kind: 'known' }
    }
    if (this.#expected !== undefined && !this.#owned && this.#claims(line, this.#expected)) this.#owned = true
    // The CLI retries a failing API before the first output, and the caller wants to know at once.
    if (this.#expected !== undefined && isSystem(line, 'api_retry')) return { kind: 'ours', lines: [line] }
    if (line.type === 'result') return this.#end(line)
    if (!this.#owned) {
      if (this.#held.length < maxHeld) this.#held.push(line)
      return { kind: 'held' }
    }
    return { kind: 'ours', lines: [...this.#release(), line] }
  }

  /** Both pinned builds echo a known uuid without a time and before any turn begins (test/pins/session.test.ts). */
  #isKnown(line: Line): boolean {
    if (this.#expected === undefined || this.#owned || !this.#alone || this.#isCommand) return false
    return echoedUuid(line) === this.#expected && line['timestamp'] === undefined
  }

  #claims(line: Line, uuid: string): boolean {
    if (this.#alone && isSystem(line, 'init')) return true
    if (echoedUuid(line) === uuid) return true
    const named = line['user_message_uuids']
    return Array.isArray(named) && named.includes(uuid)
  }

  #end(result: Line): Attributed {
    const lines = [...this.#release(), result]
    if (!this.#owned || isUnsolicited(result)) return { kind: 'unsolicited', lines }
    this.forget()
    return { kind: 'result', lines, result }
  }

  #release(): Line[] {
    const held = this.#held
    if (held.length > 0) this.#held = []
    return held
  }
}
