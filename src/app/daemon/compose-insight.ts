import type { Clock } from '../../base/lib/clock.ts'
import { Collisions } from '../../core/insight/collisions.ts'
import { Drift, type DriftParts } from '../../core/insight/drift.ts'
import { Insight } from '../../core/insight/insight.ts'
import { AnswerFiles } from '../../platform/store/answer-files.ts'
import type { Store } from '../../platform/store/store.ts'
import type { Publisher } from './publisher.ts'

interface InsightParts extends Omit<DriftParts, 'rows'> {
  readonly clock: Clock
}

/** Composes what Iris finds out by itself. */
export function composeInsight(
  store: Store,
  { events, everything$ }: Pick<Publisher, 'events' | 'everything$'>,
  parts: InsightParts,
) {
  const drift = new Drift({ ...parts, rows: new AnswerFiles(store) })
  everything$.subscribe((event) => drift.take(event))
  const insight = new Insight(store.path, parts.clock)
  const collisions = new Collisions(parts)
  events.subscribe((event) => event.type === 'turn-settled' && collisions.settled(event.turnId))
  const close = (): Promise<unknown> => Promise.all([insight.close(), drift.close()])
  return { collisions, view: { insight, drift }, close }
}
