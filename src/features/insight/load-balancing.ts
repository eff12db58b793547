import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Insight } from './insight.ts'
import { UsualUse } from './usual-use.ts'

export interface LoadBalancingParts {
  readonly config: () => Config
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

const periodMs = 30 * 86_400_000

/** Knows how each conversation is usually used, so that the pool can choose accordingly. Calls no model. */
export class LoadBalancing {
  readonly #parts: LoadBalancingParts
  readonly #use = new UsualUse()
  #hasLearnt = false

  constructor(parts: LoadBalancingParts) {
    this.#parts = parts
  }

  /** Undefined if `insight.loadBalancing` is off. */
  readonly usual = (): UsualUse | undefined => (this.#parts.config().insight.loadBalancing ? this.#use : undefined)

  take(event: PublishedEvent): void {
    if (event.type === 'turn-accepted') this.#use.asked(event, event.at)
    else if (event.type === 'turn-settled' && event.outcome === 'completed')
      this.#use.answered(event, event.durationMs - (event.queuedMs ?? 0))
  }

  /** Learns from the last 30 days, once load balancing is on, and only once. Never rejects. */
  async learn(insight: Pick<Insight, 'use'>): Promise<void> {
    const { clock, log } = this.#parts
    if (this.#hasLearnt || this.usual() === undefined) return
    this.#hasLearnt = true
    try {
      const until = clock.now()
      this.#use.learn(await insight.use({ since: until - periodMs, until, team: undefined }))
    } catch (error) {
      this.#hasLearnt = false
      log.info(`how conversations are usually used was not learnt: ${String(error)}`)
    }
  }
}
