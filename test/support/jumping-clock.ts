import { type Clock, systemClock } from '../../src/base/lib/clock.ts'
import { atRest } from './rest.ts'
import { watchTimers } from './waiting-timers.ts'

interface Timer {
  readonly ms: number
  readonly due: number
  /** When that is by the wall clock. */
  readonly at: number
  readonly run: () => void
  /** The line that set it. */
  readonly setAt: string
}

export interface ClockOptions {
  /** Time of the machine is the test's as well: for graces and retries themselves. */
  readonly movesMachine?: boolean
  /**
   * Readings go on by themselves, for records beside those of other programs, of files or of a browser. Timers still go off
   * in jumps only: they may be late, and never early.
   */
  readonly goesOn?: boolean
}

interface Jump {
  /** `busy`: a process works on while time passes, and need not come to rest. */
  readonly while?: 'busy'
}

/**
 * Time that stands still until a test moves it: what falls due on the way goes off, in its order. It moves only while Iris and
 * its processes are at rest, before each timer as well. Time of the machine (`machine`) is not the test's: it goes on.
 */
export class JumpingClock implements Clock {
  readonly machine: Clock
  readonly #timers = new Set<Timer>()
  readonly #lengths: number[] = []
  readonly #beganAt = systemClock.now()
  readonly #sinceBegun: () => number
  #elapsed = 0
  /** How far the wall clock, and it alone, was set forward; negative for back. */
  wallAhead = 0

  constructor({ movesMachine = false, goesOn = false }: ClockOptions = {}) {
    const began = systemClock.elapsed()
    this.#sinceBegun = goesOn ? () => systemClock.elapsed() - began : () => 0
    this.machine = movesMachine ? this : this.#machineTime()
    watchTimers(this)
  }

  now(): number {
    return Math.round(this.#beganAt + this.elapsed() + this.wallAhead)
  }

  elapsed(): number {
    return this.#elapsed + this.#sinceBegun()
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { ms, due: this.#elapsed + ms, at: this.now() + ms, run, setAt: callerOf() }
    this.#timers.add(timer)
    this.#lengths.push(ms)
    // Its time has come.
    if (ms <= 0) setImmediate(() => this.#timers.delete(timer) && run())
    return () => this.#timers.delete(timer)
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
    return [...this.#timers].filter(({ at }) => Math.abs(at - time) < 100).length
  }

  waiting(): readonly string[] {
    return [...this.#timers].map(({ ms, due, setAt }) => `${ms} ms, in ${due - this.#elapsed} ms, set ${setAt}`)
  }

  async jump(ms: number, { while: processes }: Jump = {}): Promise<void> {
    const rest = processes === 'busy' ? nextTurn : atRest
    await rest()
    const until = this.#elapsed + ms
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#elapsed = Math.max(this.#elapsed, next.due)
      this.#timers.delete(next)
      next.run()
      await rest()
    }
    this.#elapsed = until
  }

  /** Its durations are real; its records are beside those of this clock. */
  #machineTime(): Clock {
    return {
      now: () => this.now(),
      elapsed: () => systemClock.elapsed(),
      after: (ms, run) => systemClock.after(ms, run),
      machine: systemClock,
    }
  }

  #next(until: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.due <= until)
    return due.toSorted((a, b) => a.due - b.due)[0]
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function callerOf(): string {
  const lines = new Error().stack?.split('\n').slice(3) ?? []
  return (lines.find((line) => !/[/]lib[/]clock[.]ts/.test(line)) ?? '').trim()
}
