import { echoedUuid, isSystem, isUnsolicited, type Line } from './line.ts'

/** What a line means for the delivery being worked on. */
export type Attributed =
  | { readonly kind: 'ours'; readonly lines: readonly Line[] }
  | { readonly kind: 'result'; readonly lines: readonly Line[]; readonly result: Line }
  /** A turn that the CLI started by itself has ended: nobody's answer. */
  | { readonly kind: 'unsolicited'; readonly lines: readonly Line[] }
  | { readonly kind: 'held' }
  /** The conversation holds what was expected already: nothing more comes of it. */
  | { readonly kind: 'known' }

const maxHeld = 1000

/**
 * Says which lines belong to a delivery. The CLI can start turns of its own (a background task that ended), before ours
 * or between; a result belongs to the delivery that it or the lines before it name. Until that is known, lines are held.
 */
export class Attribution {
  #expected: string | undefined
  #alone = false
  #isCommand = false
  #owned = false
  #keepsAll = false
  #held: Line[] = []

  /**
   * From now on lines that name this uuid claim those around them. `alone`: nothing went on in the process when it was
   * written, so that the next turn to begin is its own; otherwise its echo tells, which comes with the first output.
   * `isCommand`: the echo of a command of Claude Code never has a time, and no init comes before it.
   */
  expect(uuid: string, alone: boolean, isCommand = false): void {
    this.#expected = uuid
    this.#alone = alone
    this.#isCommand = isCommand
    this.#owned = false
  }

  /** Whatever comes is of the delivery just answered: what it started in the background reports. Until `forget`. */
  keepAll(): void {
    this.#keepsAll = true
  }

  /** What was expected will not come. */
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
    // A failing API is retried before the first output: whoever waits wants to know at once.
    if (this.#expected !== undefined && isSystem(line, 'api_retry')) return { kind: 'ours', lines: [line] }
    if (line.type === 'result') return this.#end(line)
    if (!this.#owned) {
      if (this.#held.length < maxHeld) this.#held.push(line)
      return { kind: 'held' }
    }
    return { kind: 'ours', lines: [...this.#release(), line] }
  }

  /** An echo that no turn has begun for, and that has no time: seen so of both pinned builds (test/pins/session.test.ts). */
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
