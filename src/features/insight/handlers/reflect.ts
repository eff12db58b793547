import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { type KnownParticipantsParts, knownParticipants } from '../../../kernel/call/known-participants.ts'
import type { RecordedAnswer } from '../../../platform/store/recording.ts'
import type { decideSuggestion, reflect } from '../contract/reflect.ts'
import type { Insight } from '../insight.ts'
import type { KeptAnswers } from '../kept-answers.ts'
import { circleQuery, costQuery, messagesQuery, permissionsQuery } from '../queries.ts'
import type { AskedTwice, Reflection } from '../reflection.ts'
import type { InsightDecisions } from '../rows/insight-decisions.ts'
import type { ReflectionRuns } from '../rows/reflection-runs.ts'
import type { WatchedAnswerRows } from '../rows/watched-answers.ts'
import type { Suggestions } from '../suggestions.ts'

/** The dependencies of these operations. */
export interface ReflectParts extends KnownParticipantsParts {
  readonly clock: Clock
  readonly insight: Pick<Insight, 'patterns' | 'reflect' | 'use'>
  readonly suggestions: Suggestions
  readonly keptAnswers: KeptAnswers
  readonly watchedAnswerRows: Pick<WatchedAnswerRows, 'toldAt' | 'toldSince'>
  readonly reflectionRuns: ReflectionRuns
  readonly insightDecisions: Pick<
    InsightDecisions,
    'startFor' | 'keptFor' | 'overtakingsOf' | 'collisionsOf' | 'startsSince' | 'balancedSince' | 'collisionsSince'
  >
}

type Output = z.output<typeof reflect.output>
type Decision = z.output<typeof decideSuggestion.input>

const nothing: Reflection = {
  read: { asks: 0, uses: 0, questions: 0 },
  askedTwice: [],
  rules: [],
  costly: [],
  contradicted: [],
  circles: [],
  askedSince: {},
}

const usualPeriodMs = 30 * 86_400_000
const namedTurns = 5
const maxDecided = 100

/** reflect. A team that is no longer configured gets no diff. */
export async function reflection(input: z.output<typeof reflect.input>, parts: ReflectParts): Promise<Output> {
  const { clock, insight, suggestions } = parts
  knownParticipants([input.team], parts)
  const now = clock.now()
  const until = Math.min(input.until ?? now, now)
  const since = Math.min(input.since ?? now - usualPeriodMs, until)
  const decided = suggestions.decided()
  const isOn = parts.config().insight.reflection
  const found = isOn ? await insight.reflect({ since, until, team: input.team }, decided) : nothing
  return {
    since,
    until,
    read: found.read,
    kept: parts.keptAnswers.saved(since),
    isOn,
    timestamp: now,
    startedAhead: parts.insightDecisions.startsSince(since),
    balanced: parts.insightDecisions.balancedSince(since),
    collisions: parts.insightDecisions.collisionsSince(since),
    toldAtOnce: parts.watchedAnswerRows.toldSince(since),
    ...(parts.reflectionRuns.last() && { weekly: parts.reflectionRuns.last() }),
    askedTwice: await askedTwice(found.askedTwice, parts),
    rules: found.rules.map(({ team, tool, rule, times, questions }) => ({
      suggestionId: suggestions.show({ team, kind: 'rule', subject: tool }, rule),
      team,
      tool,
      rule,
      times,
      query: permissionsQuery(questions),
    })),
    costly: found.costly.map((cost) => ({ ...cost, query: costQuery(cost, since, until) })),
    contradicted: found.contradicted.map(({ earlier, later, ...each }) => ({
      ...each,
      said: [...each.said],
      saidLater: [...each.saidLater],
      earlier: answerView(earlier),
      later: answerView(later),
      query: messagesQuery([earlier.id, later.id]),
    })),
    circles: found.circles.map(({ turn, ...circle }) => ({
      ...circle,
      turnId: turn,
      query: circleQuery({ kind: circle.kind, turn }),
    })),
    decided: decided.slice(0, maxDecided).map(({ id, ...each }) => decidedView(id, each, found)),
  }
}

async function askedTwice(
  found: readonly AskedTwice[],
  { config, suggestions }: ReflectParts,
): Promise<Output['askedTwice']> {
  const byTeam = [...Map.groupBy(found, ({ to }) => to)].filter(([team]) => config().teams.has(team))
  const views = byTeam.map(async ([team, asked]) => {
    const proposed = await suggestions.propose(team, asked)
    return asked.map(({ to, askers, times, message, answer, turns }, index) => {
      const { id, diff, problem } = proposed[index]!
      return {
        suggestionId: id,
        to,
        askers: [...askers],
        times,
        message,
        answer: answerView(answer),
        turns: turns.slice(0, namedTurns),
        query: messagesQuery(turns),
        ...(diff !== undefined && { diff }),
        ...(problem !== undefined && { problem }),
      }
    })
  })
  return (await Promise.all(views)).flat().toSorted((one, other) => other.times - one.times)
}

function decidedView(
  suggestionId: string,
  each: Omit<Output['decided'][number], 'suggestionId' | 'askedSince'>,
  { askedSince }: Reflection,
): Output['decided'][number] {
  const asked = askedSince[suggestionId]
  return { ...each, suggestionId, ...(asked !== undefined && { askedSince: asked }) }
}

function answerView({ id, answer, answeredAt }: RecordedAnswer) {
  return { turnId: id, response: answer, answer, answeredAt }
}

/** decide_suggestion */
export async function decide(
  { suggestionId, decision, diff }: Decision,
  { suggestions }: ReflectParts,
): Promise<z.output<typeof decideSuggestion.output>> {
  if (decision === 'refuse') {
    suggestions.refuse(suggestionId)
    return { suggestionId, decision: 'refused' }
  }
  if (diff === undefined) {
    throw new IrisError(
      'invalid_input',
      'decide_suggestion needs the diff or the rule.',
      'Copy the diff or the rule that you accept from the result of reflect.',
    )
  }
  await suggestions.apply(suggestionId, diff)
  return { suggestionId, decision: 'applied' }
}
