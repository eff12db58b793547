import { hidden, redact, redactText } from './redact.ts'

/** In characters. A shorter secret would match inside other words; its name or shape may still reveal it. */
const minSecret = 8
/**
 * The texts that are cached: short texts without digits, such as words in log messages, names and states, because they
 * repeat. Other texts are mostly ids.
 */
const repeats = /^\D{1,64}$/
const maxKnown = 1000

/** Replaces the secrets of this Iris, known by value, and everything that looks like a secret. */
export class Secrets {
  readonly #values = new Set<string>()
  #pattern: RegExp | undefined
  /** A cache: for short texts, the text with its secrets replaced. */
  readonly #known = new Map<string, string>()

  /** Keeps the values until Iris exits: a replaced secret may still occur in later texts. */
  add(values: Iterable<string>): void {
    const before = this.#values.size
    for (const value of values) if (value.length >= minSecret) this.#values.add(value)
    if (this.#values.size === before) return
    this.#known.clear()
    // The longest first, because one secret may begin with another.
    const all = [...this.#values].toSorted((a, b) => b.length - a.length)
    this.#pattern = all.length === 0 ? undefined : new RegExp(all.map(escaped).join('|'), 'g')
  }

  readonly hideInText = (text: string): string => {
    if (!repeats.test(text)) return this.#hideInText(text)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const shown = this.#hideInText(text)
    if (this.#known.size === maxKnown) this.#known.clear()
    this.#known.set(text, shown)
    return shown
  }

  hideIn<T>(value: T): T {
    return redact(value, this.hideInText) as T
  }

  #hideInText(text: string): string {
    return redactText(this.#pattern === undefined ? text : text.replaceAll(this.#pattern, hidden))
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
