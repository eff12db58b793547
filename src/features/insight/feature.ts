import type { Observable } from 'rxjs'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { KnownParticipantsParts } from '../../kernel/call/known-participants.ts'
import { type PrewarmParts, warmUpPair } from '../../kernel/pool/prewarm.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import { AnswerFiles } from '../../platform/store/answer-files.ts'
import type { Store } from '../../platform/store/store.ts'
import type { PushSource } from '../late/handlers.ts'
import { Collisions } from './collisions.ts'
import { RecordDecisions } from './decisions.ts'
import { Drift, type DriftParts } from './drift.ts'
import { insightEvents } from './events.ts'
import { healings } from './handlers/healings.ts'
import { driftOf, patterns } from './handlers/insight.ts'
import { decide, reflection } from './handlers/reflect.ts'
import { Healing } from './healing.ts'
import { Insight } from './insight.ts'
import { KeptAnswers } from './kept-answers.ts'
import { LoadBalancing } from './load-balancing.ts'
import { HealingRows } from './rows/healings.ts'
import { InsightDecisions } from './rows/insight-decisions.ts'
import { KeptAnswerRows } from './rows/kept-answers.ts'
import { ReflectionRuns } from './rows/reflection-runs.ts'
import { SuggestionRows } from './rows/suggestions.ts'
import { WatchedAnswerRows } from './rows/watched-answers.ts'
import { Suggestions } from './suggestions.ts'
import { WarmAhead } from './warm-ahead.ts'
import { WatchedAnswers } from './watched-answers.ts'
import { WeeklyReflection } from './weekly-reflection.ts'

interface Needs
  extends KnownParticipantsParts,
    Omit<DriftParts, 'rows' | 'clock' | 'log'>,
    Omit<PrewarmParts, 'log' | 'sessions'> {
  readonly clock: Clock
  readonly config: DriftParts['config']
  readonly database: Store
  readonly events: Subject<PublishedEvent>
  readonly everything$: Observable<PublishedEvent>
  readonly log: Log
  readonly pushes: PushSource[]
  readonly sessionRegistry: Sessions
}

/**
 * Insight: patterns, answers that may be out of date, kept answers, agents that change the same file, and healed
 * faults. Also what Iris does because of them: starting processes ahead, and load balancing.
 */
export const insight = feature('insight', { events: insightEvents }, (parts: Needs) => {
  const { clock, database, events, everything$, log } = parts
  const around = { ...parts, log: log.for('insight') }
  const balancing = new LoadBalancing(around)
  const drift = new Drift({ ...around, rows: new AnswerFiles(database) })
  const keptAnswers = new KeptAnswers({ ...around, rows: new KeptAnswerRows(database) })
  const collisions = new Collisions(parts)
  const watchedAnswerRows = new WatchedAnswerRows(database)
  const watchedAnswers = new WatchedAnswers({ ...around, rows: watchedAnswerRows, drift, collisions })
  const insightDecisions = new InsightDecisions(database)
  const decisions = new RecordDecisions({ ...around, rows: insightDecisions })
  const healing = new Healing({ ...around, rows: new HealingRows(database) })
  const reflectionRuns = new ReflectionRuns(database)
  const found = new Insight(database.path, clock.machine)
  const suggestions = new Suggestions({ ...around, rows: new SuggestionRows(database) })
  const warming = { ...parts, log: log.for('prewarm'), sessions: parts.sessionRegistry }
  const warmAhead = new WarmAhead({ ...warming, insight: found, warmUp: (pair) => warmUpPair(pair, warming) })
  const weekly = new WeeklyReflection({ ...warming, insight: found, suggestions, runs: reflectionRuns })
  for (const each of [drift, keptAnswers]) everything$.subscribe((event) => each.take(event))
  for (const each of [balancing, healing, watchedAnswers, decisions, warmAhead])
    events.subscribe((event) => each.take(event))
  events.subscribe((event) => event.type === 'turn-settled' && collisions.settled(event.turnId))
  parts.pushes.push({
    take: (console) => watchedAnswers.takeFor(console),
    ready: (console, _team, signal) => watchedAnswers.ready(console, signal),
  })
  const gives = { insight: found, suggestions, keptAnswers, drift, healing, collisions }
  const records = { watchedAnswers, watchedAnswerRows, reflectionRuns, insightDecisions }
  const reading = { ...parts, ...gives, ...records }
  const learn = async (): Promise<void> => {
    await warmAhead.learn()
    await balancing.learn(found)
  }
  return {
    gives: { ...gives, ...records },
    seams: { usualTimes: { inForce: balancing.usual }, collisions },
    handlers: {
      find_patterns: (input) => patterns(input, reading),
      list_drift: (input) => driftOf(input, reading),
      reflect: (input) => reflection(input, reading),
      list_healings: (input) => healings(input, reading),
      decide_suggestion: (input) => decide(input, reading),
    },
    begin(prewarmed: Promise<void>) {
      for (const each of [weekly, watchedAnswers]) each.begin()
      return prewarmed
        .then(learn)
        .catch((error: unknown) => warming.log.warn(`what is usually needed was not learnt: ${String(error)}`))
    },
    changed() {
      void warmAhead.learn()
      void balancing.learn(found)
      weekly.begin()
    },
    quiet() {
      warmAhead.close()
      weekly.close()
    },
    async ended() {
      await watchedAnswers.close()
      await Promise.all([found.close(), drift.close(), keptAnswers.noted()])
    },
  }
})
