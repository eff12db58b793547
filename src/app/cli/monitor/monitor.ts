import type { Clock } from '../../../base/lib/clock.ts'
import { type Action, type Key, press } from './keys.ts'
import type { Size } from './layout.ts'
import { lastTopOf, type Shown } from './panes.ts'
import { type Frame, nothingSeen, reduce, type Seen } from './state.ts'
import { firstView, type View } from './view.ts'

const redrawMs = 100
const secondMs = 1000
const minuteMs = 60_000

/** The state of the monitor; notifies listeners of changes ten times a second at most. */
export class Monitor {
  readonly #clock: Clock
  readonly #does: (action: Action) => void
  readonly #listeners = new Set<() => void>()
  #seen: Seen = nothingSeen
  #view: View = firstView
  #shown: Shown
  #drawnAt = Number.NEGATIVE_INFINITY
  /** The next drawing: soon after a change, else when a displayed time changes. */
  #next: { readonly isSoon: boolean; readonly cancelTimer: () => void } | undefined

  constructor(clock: Clock, does: (action: Action) => void) {
    this.#clock = clock
    this.#does = does
    this.#shown = { seen: this.#seen, view: this.#view, now: clock.now() }
  }

  /** The state at the latest drawing. */
  get shown(): Shown {
    return this.#shown
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  take(frame: Frame): void {
    if (frame.type === 'permission:request' && this.#seen.questions.length === 0) this.#does({ kind: 'ring' })
    this.#become(reduce(this.#seen, frame), this.#view)
  }

  press(key: Key, size: Size): void {
    const now = this.#clock.now()
    const lastTop = lastTopOf({ seen: this.#seen, view: this.#view, now }, size)
    const { view, action } = press(this.#view, key, this.#seen, lastTop)
    this.#become(this.#seen, view)
    if (action) this.#does(action)
  }

  /** Shows the person a note in the last row. */
  note(note: string): void {
    this.#become(this.#seen, { ...this.#view, note })
  }

  end(): void {
    this.#next?.cancelTimer()
    this.#listeners.clear()
  }

  #become(seen: Seen, view: View): void {
    if (seen === this.#seen && view === this.#view) return
    this.#seen = seen
    this.#view = view
    if (this.#next?.isSoon) return
    const wait = this.#drawnAt + redrawMs - this.#clock.elapsed()
    if (wait <= 0) this.#draw()
    else this.#drawIn(wait, true)
  }

  #drawIn(ms: number, isSoon: boolean): void {
    this.#next?.cancelTimer()
    this.#next = { isSoon, cancelTimer: this.#clock.after(ms, () => this.#draw()) }
  }

  #draw(): void {
    this.#drawnAt = this.#clock.elapsed()
    this.#shown = { seen: this.#seen, view: this.#view, now: this.#clock.now() }
    this.#drawIn(showsSeconds(this.#seen) ? secondMs : minuteMs, false)
    for (const listener of this.#listeners) listener()
  }
}

function showsSeconds({ connection, questions, works }: Seen): boolean {
  const isBusy = [...works.values()].some(({ since, outcome }) => since !== undefined && outcome === undefined)
  return connection === 'lost' || questions.length > 0 || isBusy
}
