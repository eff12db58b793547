import type { Clock } from '../../src/base/lib/clock.ts'

/** Whoever lives sets timers and has things done; of what has ended nothing happens any more. */
export class Life {
  hasEnded = false

  end(): void {
    this.hasEnded = true
  }
}

interface Timer {
  readonly due: number
  readonly life: Life
  readonly run: () => void
}

interface Task {
  readonly channel: string
  readonly run: () => void
}

const firstDay = Date.UTC(2026, 0, 1)
/** More than any schedule needs: what goes beyond it goes round in a circle. */
const maxSteps = 200_000

/**
 * Virtual time: it stands still while anything is to be done in this moment, and moves from timer to timer. What is to be
 * done in one moment is ordered within a channel; between channels `pick` decides.
 */
export class Time {
  readonly #pick: (count: number) => number
  readonly #timers = new Set<Timer>()
  readonly #tasks: Task[] = []
  #elapsed = 0
  #ahead = firstDay
  #steps = 0

  constructor(pick: (count: number) => number) {
    this.#pick = pick
  }

  get elapsed(): number {
    return this.#elapsed
  }

  clock(life: Life): Clock {
    const clock: Clock = {
      get machine() {
        return clock
      },
      now: () => Math.round(this.#ahead + this.#elapsed),
      elapsed: () => this.#elapsed,
      after: (ms, run) => {
        if (life.hasEnded) return () => {}
        const timer = { due: this.#elapsed + ms, life, run }
        this.#timers.add(timer)
        return () => this.#timers.delete(timer)
      },
    }
    return clock
  }

  /** Someone sets the wall clock, forwards or back. */
  setWallClock(byMs: number): void {
    this.#ahead += byMs
  }

  /** Later in this moment. */
  soon(channel: string, run: () => void): void {
    this.#tasks.push({ channel, run })
  }

  /** Timers that are set and not taken back. */
  pending(life: Life): number {
    return [...this.#timers].filter((timer) => timer.life === life).length
  }

  /** Does one thing of this moment; false when there is none. */
  async step(): Promise<boolean> {
    await drained()
    const channels = [...new Set(this.#tasks.map(({ channel }) => channel))]
    if (channels.length === 0) return false
    const channel = channels[channels.length === 1 ? 0 : this.#pick(channels.length)]
    const index = this.#tasks.findIndex((task) => task.channel === channel)
    const [task] = this.#tasks.splice(index, 1)
    this.#count()
    task?.run()
    return true
  }

  /** Everything of this moment. */
  async settle(): Promise<void> {
    while (await this.step());
  }

  /** Until `isEnough`, or until so much time is over; tells whether it was enough. */
  async pass(ms: number, isEnough: () => boolean = () => false): Promise<boolean> {
    const until = this.#elapsed + ms
    for (;;) {
      await this.settle()
      if (isEnough()) return true
      const next = this.#next(until)
      if (next === undefined) break
      this.#elapsed = Math.max(this.#elapsed, next.due)
      this.#timers.delete(next)
      this.#count()
      next.run()
    }
    this.#elapsed = until
    return false
  }

  #next(until: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.life.hasEnded) this.#timers.delete(timer)
      else if (timer.due <= until && (first === undefined || timer.due < first.due)) first = timer
    }
    return first
  }

  #count(): void {
    this.#steps += 1
    if (this.#steps > maxSteps) throw new Error(`the schedule does not end: ${maxSteps} steps`)
  }
}

/** All promises that can settle have. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
