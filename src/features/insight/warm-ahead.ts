import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import { mainThread, type Pair } from '../../base/protocol/pair.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Insight } from './insight.ts'

export interface WarmAheadParts {
  readonly config: () => Config
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly insight: Pick<Insight, 'patterns'>
  /** Starts the process of a conversation if there is a free place for it. Resolves to false if none was started. */
  readonly warmUp: (pair: Pair) => Promise<boolean>
  readonly publish: (event: IrisEvent) => void
  readonly log: Log
}

const periodMs = 30 * 86_400_000
const learnAgainMs = 86_400_000

/**
 * Starts the process that is usually needed next: if B usually asks C after A asks B, the process of B's conversation
 * with C starts while B is still working. Uses only free places, and calls no model.
 */
export class WarmAhead {
  readonly #parts: WarmAheadParts
  /** For each pair, the teams that the asked team usually asks next. */
  #next: ReadonlyMap<string, readonly string[]> = new Map()
  #stopRest = (): void => {}
  #isClosed = false

  constructor(parts: WarmAheadParts) {
    this.#parts = parts
  }

  take(event: PublishedEvent): void {
    if (event.type !== 'turn-accepted' || !this.#isOn) return
    const { from, to } = event
    for (const next of this.#next.get(keyOf(event)) ?? [])
      void this.#warm({ from: to, to: next, thread: mainThread }, from)
  }

  /** Learns which asks usually follow which, now and once a day. Never rejects. */
  async learn(): Promise<void> {
    const { clock, insight, log } = this.#parts
    this.#stopRest()
    if (!this.#isOn) return
    this.#stopRest = clock.after(learnAgainMs, () => void this.learn())
    try {
      const until = clock.now()
      const { chains } = await insight.patterns({ since: until - periodMs, until, team: undefined }, 0)
      const next = Map.groupBy(chains, keyOf)
      this.#next = new Map([...next].map(([pair, all]) => [pair, all.map((chain) => chain.next)]))
    } catch (error) {
      log.info(`what is usually needed next was not learnt: ${String(error)}`)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#stopRest()
  }

  get #isOn(): boolean {
    return !this.#isClosed && this.#parts.config().insight.warmAhead
  }

  async #warm(pair: Pair, asker: string): Promise<void> {
    const { warmUp, publish, log } = this.#parts
    try {
      if (await warmUp(pair)) publish({ type: 'warmed-ahead', ...pair, asker })
    } catch (error) {
      log.info(`the process of ${pair.from} and ${pair.to} was not started ahead: ${String(error)}`)
    }
  }
}

function keyOf({ from, to }: Pick<Pair, 'from' | 'to'>): string {
  return `${from} ${to}`
}
