import { hidden, redact, redactText } from './redact.ts'

/** Shorter ones would tear other words apart; they are still found by their name or their shape. */
const shortestSecret = 8

/** Knows the secrets of this Iris by their value, and takes them out of what it says, with all that looks like one. */
export class Secrets {
  readonly #values = new Set<string>()
  #pattern: RegExp | undefined

  /** For as long as Iris runs: one that was replaced may still be told of. */
  add(values: Iterable<string>): void {
    for (const value of values) if (value.length >= shortestSecret) this.#values.add(value)
    // The longest first: one may begin with another.
    const all = [...this.#values].toSorted((a, b) => b.length - a.length)
    this.#pattern = all.length === 0 ? undefined : new RegExp(all.map(escaped).join('|'), 'g')
  }

  readonly hideInText = (text: string): string =>
    redactText(this.#pattern === undefined ? text : text.replaceAll(this.#pattern, hidden))

  hideIn<T>(value: T): T {
    return redact(value, this.hideInText) as T
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
