export interface TextFrame {
  readonly turnId: string
  /** Where in the turn's text it belongs; 0, or absent, means that the earlier text is void. */
  readonly at?: number
  readonly text: string
}

/** How many ended turns keep their text: the page shows it until the list has the whole answer. */
const mostEnded = 5

/** What the turns being answered have said so far, or what they are thinking. */
export class LiveTexts {
  readonly #texts = new Map<string, string>()
  readonly #ended = new Map<string, string>()
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  of(turnId: string): string | undefined {
    return this.#texts.get(turnId)
  }

  /** All that a turn has said, while it is answered and for a while after its end. */
  saidBy(turnId: string): string | undefined {
    return this.#texts.get(turnId) ?? this.#ended.get(turnId)
  }

  add({ turnId, at = 0, text }: TextFrame): void {
    const before = this.#texts.get(turnId) ?? ''
    this.#texts.set(turnId, before.slice(0, at) + text)
    this.#tell()
  }

  drop(turnId: string): void {
    const text = this.#texts.get(turnId)
    if (text === undefined) return
    this.#texts.delete(turnId)
    this.#ended.set(turnId, text)
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > mostEnded && oldest !== undefined) this.#ended.delete(oldest)
    this.#tell()
  }

  restart(turns: readonly TextFrame[]): void {
    this.#texts.clear()
    for (const { turnId, text } of turns) this.#texts.set(turnId, text)
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
