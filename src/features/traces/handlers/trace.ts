import type { z } from 'zod'
import { visible } from '../../../base/lib/visible.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { knownParticipants } from '../../../kernel/call/known-participants.ts'
import { type NamedTurnParts, namedTurn, unknownTurn } from '../../../kernel/call/named-turn.ts'
import { listedAsker } from '../../../kernel/call/policy.ts'
import { summaries } from '../../../kernel/call/turn-model.ts'
import type { TurnList } from '../../../platform/store/turn-list.ts'
import { type DecisionStepsParts, decisionSteps } from '../../insight/handlers/decision-steps.ts'
import { type HealingsParts, healingSteps } from '../../insight/handlers/healings.ts'
import type { LiveAsks } from '../../live/live-asks.ts'
import { type ReportsParts, reportSteps } from '../../reports/reports.ts'
import type { listTurns, TracedTurn, traceTurn } from '../contract.ts'
import { type TimedTree, timesOf, treeTimeLine } from './time-line.ts'
import { type TraceLinkParts, traceLink } from './trace-link.ts'
import { type TracedTurnsParts, tracedTurns } from './traced-turns.ts'
import { turnSteps } from './turn-steps.ts'
import { ofAsker } from './without-below.ts'

/** The dependencies of these operations. */
export interface TraceParts
  extends NamedTurnParts,
    TracedTurnsParts,
    HealingsParts,
    DecisionStepsParts,
    ReportsParts,
    TraceLinkParts {
  readonly turnList: TurnList
  readonly live: Pick<LiveAsks, 'of'>
}

type Input = z.output<typeof traceTurn.input>
type Output = z.output<typeof traceTurn.output>

const usualTree = 300
/** The maximum number of asks in the steps of a turn. */
const maxAsks = 1000

/** trace_turn: a turn, the ask at the root of its tree, and all turns that this ask caused. */
export async function trace(
  { turnId: named, limit = usualTree, cursor = '0' }: Input,
  call: Call,
  parts: TraceParts,
): Promise<Output> {
  const { traceRows, trees, clock } = parts
  const turnId = namedTurn(named, parts)
  const rootTurnId = trees.above(turnId)[0] ?? turnId
  const [root, asked] = [rootTurnId, turnId].map((id) => traceRows.one(id))
  const asker = listedAsker(call.auth.principal)
  if (!root || !asked || (asker !== undefined && asked.from !== asker))
    throw unknownTurn(`There is no turn ${named}.`, named, 'search_messages finds one by its words.', call, parts)
  // One turn more than the page needs, to see whether there are more.
  const now = clock.now()
  const rows = traceRows.tree(rootTurnId, Number(cursor), limit + 1)
  const shown = rows.slice(0, limit)
  const { turns, toolsLeftOut } = await tracedTurns(shown, now, parts)
  const traced = async (row: typeof root): Promise<TracedTurn> =>
    turns.find((turn) => turn.turnId === row.id) ?? (await tracedTurns([row], now, parts)).turns[0]!
  const asks = traceRows.askedIn(turnId, maxAsks)
  const stepsOf = async (turn: TracedTurn) =>
    [
      ...turnSteps(turn, await summaries(asks, parts)),
      ...healingSteps(turn, now, parts),
      ...decisionSteps(turn.turnId, parts),
      ...reportSteps(turn.turnId, parts),
      ...liveSteps(turn.turnId, parts),
    ].toSorted((a, b) => a.at - b.at)
  const { cost: costUsd, ...spent } = trees.spent(rootTurnId)
  const found: Output = {
    turnId,
    rootTurnId,
    turns: [...turns],
    toolsLeftOut,
    tree: { ...spent, costUsd },
    ...(rows.length > limit && { nextCursor: String(shown.at(-1)?.sequence) }),
    times: timesOf(treeTimeLine(treeOf(await traced(root), turns))),
    steps: await stepsOf(await traced(asked)),
    ...traceLink(rootTurnId, parts),
    timestamp: now,
  }
  return asker === undefined ? found : ofAsker(asker, found)
}

function treeOf(turn: TracedTurn, turns: readonly TracedTurn[]): TimedTree {
  const asked = Map.groupBy(turns, ({ parentTurnId }) => parentTurnId)
  const under = ({ turnId, spans }: TracedTurn): TimedTree => ({ spans, asks: (asked.get(turnId) ?? []).map(under) })
  return under(turn)
}

const usualList = 50

export async function turns(
  input: z.output<typeof listTurns.input>,
  { auth }: Call,
  parts: TraceParts,
): Promise<z.output<typeof listTurns.output>> {
  const { root = false, team, status = 'all', cursor, limit = usualList } = input
  const from = listedAsker(auth.principal)
  // Not every caller may learn whether a name is known.
  if (from === undefined) knownParticipants([team], parts)
  const before = cursor === undefined ? undefined : Number(cursor)
  const page = parts.turnList.page({ root, team, from, status, before }, limit)
  return {
    turns: await summaries(page.turns, parts),
    ...(page.lookedTo !== undefined && { nextCursor: String(page.lookedTo) }),
    timestamp: parts.clock.now(),
  }
}

/** What happened to a message for an open session, as steps. */
function liveSteps(turnId: string, { live }: Pick<TraceParts, 'live'>): { at: number; text: string }[] {
  const row = live.of(turnId)
  if (row === undefined) return []
  const { to, offeredAt, noticedAt, letInAt, pushedAt, until, isWaiting, message } = row
  const short = turnId.slice(0, 8)
  const steps = [
    [noticedAt, `The open session of ${to} learned that a message is waiting, but not what it says.`],
    [noticedAt === null ? null : letInAt, 'The person let it in.'],
    [pushedAt, `It was given to the open session of ${to}.`],
    [
      isWaiting ? offeredAt : null,
      `It is waiting for your yes until ${new Date(until).toISOString()}: "iris promote ${short}" lets it in, "iris cancel ${short}" refuses it. It says: ${visible(message)}`,
    ],
  ] as const
  return steps.flatMap(([at, text]) => (at === null ? [] : [{ at, text }]))
}
