import { echoedUuid, isSystem, type Line } from './line.ts'

/** What a line means for the delivery being worked on. */
export type Attributed =
  | { readonly kind: 'ours'; readonly lines: readonly Line[] }
  | { readonly kind: 'result'; readonly lines: readonly Line[]; readonly result: Line }
  /** A turn that the CLI started by itself has ended: nobody's answer. */
  | { readonly kind: 'unasked'; readonly lines: readonly Line[] }
  | { readonly kind: 'held' }

const maxHeld = 1000

/**
 * Says which lines belong to a delivery. The CLI can start turns of its own (a background task that ended), before ours
 * or between; a result belongs to the delivery whose echo stands before it. The echo comes with the model's first output,
 * so lines since the last result are held until it is known whose they are.
 */
export class Attribution {
  #expected: string | undefined
  #owned = false
  #held: Line[] = []

  /** From now on an echo of this uuid claims the lines around it. */
  expect(uuid: string | undefined): void {
    this.#expected = uuid
    this.#owned = false
  }

  take(line: Line): Attributed {
    if (this.#expected !== undefined && !this.#owned && speaksOf(line, this.#expected)) this.#owned = true
    // A failing API is retried before the first output: whoever waits wants to know at once.
    if (this.#expected !== undefined && isSystem(line, 'api_retry')) return { kind: 'ours', lines: [line] }
    if (line.type === 'result') return this.#end(line)
    if (!this.#owned) {
      if (this.#held.length < maxHeld) this.#held.push(line)
      return { kind: 'held' }
    }
    return { kind: 'ours', lines: [...this.#release(), line] }
  }

  #end(result: Line): Attributed {
    const lines = [...this.#release(), result]
    if (!this.#owned) return { kind: 'unasked', lines }
    this.#owned = false
    this.#expected = undefined
    return { kind: 'result', lines, result }
  }

  #release(): Line[] {
    const held = this.#held
    if (held.length > 0) this.#held = []
    return held
  }
}

function speaksOf(line: Line, uuid: string): boolean {
  return echoedUuid(line) === uuid
}
