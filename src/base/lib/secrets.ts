import { hidden, redact, redactText } from './redact.ts'

/** Characters. A shorter secret would match inside other words; its name or shape may still reveal it. */
const shortestSecret = 8

/** Replaces the secrets of this Iris, known by value, and everything that looks like a secret. */
export class Secrets {
  readonly #values = new Set<string>()
  #pattern: RegExp | undefined

  /** Keeps the values until Iris exits: a replaced secret may still occur in later texts. */
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
