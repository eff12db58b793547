import type { Clock } from '../../base/lib/clock.ts'
import { Collisions } from '../../features/insight/collisions.ts'
import { RecordDecisions } from '../../features/insight/decisions.ts'
import { Drift, type DriftParts } from '../../features/insight/drift.ts'
import { Healing } from '../../features/insight/healing.ts'
import { Insight } from '../../features/insight/insight.ts'
import { KeptAnswers } from '../../features/insight/kept-answers.ts'
import { LoadBalancing, type LoadBalancingParts } from '../../features/insight/load-balancing.ts'
import { HealingRows } from '../../features/insight/rows/healings.ts'
import { InsightDecisions } from '../../features/insight/rows/insight-decisions.ts'
import { KeptAnswerRows } from '../../features/insight/rows/kept-answers.ts'
import { ReflectionRuns } from '../../features/insight/rows/reflection-runs.ts'
import { SuggestionRows } from '../../features/insight/rows/suggestions.ts'
import { WatchedAnswerRows } from '../../features/insight/rows/watched-answers.ts'
import { Suggestions } from '../../features/insight/suggestions.ts'
import { WatchedAnswers } from '../../features/insight/watched-answers.ts'
import { TurnTraces } from '../../features/traces/rows/turn-traces.ts'
import { AnswerFiles } from '../../platform/store/answer-files.ts'
import type { Store } from '../../platform/store/store.ts'
import type { Publisher } from './publisher.ts'

interface InsightParts extends Omit<DriftParts, 'rows'> {
  readonly clock: Clock
}

export function composeBalancing({ events }: Pick<Publisher, 'events'>, parts: LoadBalancingParts): LoadBalancing {
  const balancing = new LoadBalancing(parts)
  events.subscribe((event) => balancing.take(event))
  return balancing
}

/** Composes what Iris finds out by itself. */
export function composeInsight(
  store: Store,
  { events, everything$ }: Pick<Publisher, 'events' | 'everything$'>,
  parts: InsightParts,
) {
  const drift = new Drift({ ...parts, rows: new AnswerFiles(store) })
  everything$.subscribe((event) => drift.take(event))
  const insight = new Insight(store.path, parts.clock.machine)
  const suggestions = new Suggestions({ ...parts, rows: new SuggestionRows(store) })
  const keptAnswers = new KeptAnswers({ ...parts, rows: new KeptAnswerRows(store) })
  everything$.subscribe((event) => keptAnswers.take(event))
  const healing = new Healing({ ...parts, rows: new HealingRows(store) })
  events.subscribe((event) => healing.take(event))
  const collisions = new Collisions(parts)
  events.subscribe((event) => event.type === 'turn-settled' && collisions.settled(event.turnId))
  const watchedAnswerRows = new WatchedAnswerRows(store)
  const watchedAnswers = new WatchedAnswers({ ...parts, rows: watchedAnswerRows, drift, collisions })
  events.subscribe((event) => watchedAnswers.take(event))
  const insightDecisions = new InsightDecisions(store)
  const decisions = new RecordDecisions({ ...parts, rows: insightDecisions })
  events.subscribe((event) => decisions.take(event))
  const close = (): Promise<unknown> =>
    watchedAnswers.close().then(() => Promise.all([insight.close(), drift.close(), keptAnswers.noted()]))
  const more = {
    healing,
    watchedAnswers,
    watchedAnswerRows,
    turnTraces: new TurnTraces(store),
    reflectionRuns: new ReflectionRuns(store),
    insightDecisions,
  }
  return { collisions, view: { insight, suggestions, keptAnswers, drift, ...more }, close }
}
