import type { Clock } from '../../../base/lib/clock.ts'

type State = Readonly<Record<string, unknown>>

/** How long a state counts as new while no event comes: some changes, such as those of queues, are no events. */
const freshMs = 250

/** The current state, made once for all readers that begin at about the same time and may see the same. */
export class SharedState {
  /** `last`: the number of the newest event. */
  readonly #log: { readonly last: number }
  readonly #clock: Pick<Clock, 'elapsed'>
  /** The states made after the event `#lastEvent`, by the rights of their readers. */
  readonly #made = new Map<string, Promise<State>>()
  #lastEvent = -1
  /** When the first of them was made, in monotonic milliseconds. */
  #madeAt = 0

  constructor(log: { readonly last: number }, clock: Pick<Clock, 'elapsed'>) {
    this.#log = log
    this.#clock = clock
  }

  /** `rights`: the same text for readers that may see the same. Rejects as `make` does; the next reader tries again. */
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

/** The JSON of a state with additions; the JSON of the state itself is made once. */
export function jsonWith(more: State, state: State): string {
  const text = texts.get(state) ?? JSON.stringify(state)
  texts.set(state, text)
  return text === '{}' ? JSON.stringify(more) : `${JSON.stringify(more).slice(0, -1)},${text.slice(1)}`
}
