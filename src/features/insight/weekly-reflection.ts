import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Insight } from './insight.ts'
import type { ReflectionRuns } from './rows/reflection-runs.ts'
import type { Suggestions } from './suggestions.ts'

export interface WeeklyReflectionParts {
  readonly config: () => Config
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly insight: Pick<Insight, 'reflect'>
  readonly suggestions: Pick<Suggestions, 'decided'>
  readonly runs: ReflectionRuns
  readonly publish: (event: IrisEvent) => void
  readonly log: Log
}

const dayMs = 86_400_000
const weekMs = 7 * dayMs
const periodMs = 30 * dayMs

/**
 * Looks once a week for what a person could change, if this is switched on. A reflection that became due while Iris was
 * not running runs once. It only reads: nothing changes without a person's decision.
 */
export class WeeklyReflection {
  readonly #parts: WeeklyReflectionParts
  #stopRest = (): void => {}
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(parts: WeeklyReflectionParts) {
    this.#parts = parts
  }

  /** Call this at the start, and whenever another configuration takes effect. */
  begin(): void {
    const { config, clock, runs } = this.#parts
    this.#stopRest()
    if (this.#isClosed || !isOn(config()) || this.#running !== undefined) return
    const due = (runs.last()?.at ?? clock.now() - weekMs) + weekMs
    // Timers do not count the time during which the machine sleeps, so this looks at least once a day.
    if (due > clock.now()) this.#rest(Math.min(due - clock.now(), dayMs))
    else this.#running = this.#run().finally(() => (this.#running = undefined))
  }

  close(): void {
    this.#isClosed = true
    this.#stopRest()
  }

  #rest(ms: number): void {
    if (!this.#isClosed) this.#stopRest = this.#parts.clock.after(ms, () => this.begin())
  }

  async #run(): Promise<void> {
    const { clock, insight, suggestions, runs, publish, log } = this.#parts
    try {
      const at = clock.now()
      const period = { since: at - periodMs, until: at, team: undefined }
      const found = await insight.reflect(period, suggestions.decided())
      const count = found.askedTwice.length + found.rules.length
      runs.add({ at, asks: found.read.asks, suggestions: count })
      publish({ type: 'reflected', asks: found.read.asks, suggestions: count })
      this.#rest(dayMs)
    } catch (error) {
      log.info(`this week's reflection failed: ${String(error)}; Iris tries again tomorrow`)
      this.#rest(dayMs)
    }
  }
}

function isOn({ insight: { reflection, reflectWeekly } }: Pick<Config, 'insight'>): boolean {
  return reflection && reflectWeekly
}
