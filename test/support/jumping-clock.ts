import { type Clock, systemClock } from '../../src/base/lib/clock.ts'
import { allAnswered } from './link-traffic.ts'

interface Timer {
  readonly ms: number
  readonly due: number
  readonly run: () => void
  takeBack: () => void
}

/**
 * The system's clock, which a test can push forward: what falls due on the way goes off, in its order. Where all teams are
 * on another machine, time passes while its link is well: what Iris asks there on the way is answered before more passes.
 */
export class JumpingClock implements Clock {
  readonly #timers = new Set<Timer>()
  readonly #lengths: number[] = []
  #ahead = 0
  /** How far the wall clock, and it alone, was set forward; negative for back. */
  wallAhead = 0

  now(): number {
    return Math.round(systemClock.now() + this.#ahead + this.wallAhead)
  }

  elapsed(): number {
    return systemClock.elapsed() + this.#ahead
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { ms, due: this.elapsed() + ms, run, takeBack: () => {} }
    this.#timers.add(timer)
    this.#lengths.push(ms)
    this.#wind(timer)
    return () => this.#drop(timer)
  }

  /** How many timers of that length were ever set. */
  everSet(ms: number): number {
    return this.#lengths.filter((length) => length === ms).length
  }

  /** Timers of about that length that are set and not taken back. */
  pending(ms: number): number {
    return [...this.#timers].filter((timer) => Math.abs(timer.ms - ms) < 100).length
  }

  /** Timers that go off at about that time of the wall clock. */
  dueAt(time: number): number {
    return [...this.#timers].filter(({ due }) => Math.abs(this.now() + due - this.elapsed() - time) < 100).length
  }

  async jump(ms: number): Promise<void> {
    await allAnswered()
    const until = this.elapsed() + ms
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#moveTo(next.due)
      this.#drop(next)
      next.run()
      await new Promise((resolve) => setImmediate(resolve))
      await allAnswered()
    }
    this.#moveTo(until)
    for (const timer of this.#timers) this.#wind(timer)
  }

  #next(until: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.due <= until)
    return due.toSorted((a, b) => a.due - b.due)[0]
  }

  #moveTo(elapsed: number): void {
    this.#ahead += Math.max(0, elapsed - this.elapsed())
  }

  #wind(timer: Timer): void {
    timer.takeBack()
    timer.takeBack = systemClock.after(Math.max(0, timer.due - this.elapsed()), () => {
      this.#drop(timer)
      timer.run()
    })
  }

  #drop(timer: Timer): void {
    timer.takeBack()
    this.#timers.delete(timer)
  }
}
