import type { Clock } from '../../../base/lib/clock.ts'

type State = Readonly<Record<string, unknown>>

/**
 * How long a state counts as new while no event comes, in milliseconds. Some changes, such as those of queues, cause no
 * event.
 */
const freshMs = 250

/** The current state. It is made once for all readers that begin at about the same time and have the same rights. */
export class SharedState {
  /** `last`: the number of the newest event. */
  readonly #log: { readonly last: number }
  readonly #clock: Pick<Clock, 'elapsed'>
  /** The states made after the event `#lastEvent`, by the rights of their readers. */
  readonly #made = new Map<string, Promise<State>>()
  #lastEvent = -1
  /** When the first of these states was made, in monotonic milliseconds. */
  #madeAt = 0

  constructor(log: { readonly last: number }, clock: Pick<Clock, 'elapsed'>) {
    this.#log = log
    this.#clock = clock
  }

  /**
   * `rights`: a text that is the same for readers with the same rights. Rejects as `make` does; the next reader then
   * tries again.
   */
  of(rights: string, make: () => Promise<State>): Promise<State> {
    const now = this.#clock.elapsed()
    if (this.#lastEvent !== this.#log.last || now - this.#madeAt >= freshMs) {
      this.#made.clear()
      this.#lastEvent = this.#log.last
      this.#madeAt = now
    }
    const made = this.#made.get(rights) ?? make()
    this.#made.set(rights, made)
    made.catch(() => this.#made.delete(rights))
    return made
  }
}

const texts = new WeakMap<State, string>()

/** The JSON of a state with additions. The JSON of the state itself is made only once. */
export function jsonWith(more: State, state: State): string {
  const text = texts.get(state) ?? JSON.stringify(state)
  texts.set(state, text)
  return text === '{}' ? JSON.stringify(more) : `${JSON.stringify(more).slice(0, -1)},${text.slice(1)}`
}
