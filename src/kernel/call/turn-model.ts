import type { z } from 'zod'
import type { Secrets } from '../../base/lib/secrets.ts'
import { isOpenSessionThread } from '../../base/protocol/open-session-thread.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { TurnResult } from '../../base/protocol/turn.ts'
import type { turnTranscript } from '../../features/messages/contract/turns.ts'
import type { TurnSummaryView } from '../../features/traces/contract.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { TurnSummary } from '../../platform/store/turn-list.ts'
import type { LiveStatus, TurnStatus, Turns } from '../accept/turn-handle.ts'
import type { Waits } from '../accept/waits.ts'
import type { Seams } from '../session/seams.ts'

/** The dependencies of the functions in this file. */
export interface TurnModelParts {
  /** Turns by their ids. */
  readonly turns: Turns
  readonly secrets: Secrets
  /** Whether a message for an open session is waiting until a person lets it in. */
  readonly live: { readonly of: (turnId: string) => { readonly isWaiting: boolean } | undefined }
  readonly waits: Waits
  readonly seams: Pick<Seams, 'questions'>
}

type Ending = 'outcome' | 'reason' | 'detail' | 'answer' | 'value' | 'partial' | 'usage' | 'background' | 'settledAt'
type Time = 'acceptedAt' | 'firstAt' | 'dispatchedAt' | 'startedAt'
/** The columns of a turn, with their current values. Every answer about a turn is built from them. */
type Known = Pick<TurnRow, 'id' | 'parentTurn' | 'contextReset' | 'attachments' | Time | Ending> & {
  readonly sessionId: string
}

const endless = {
  outcome: null,
  reason: null,
  detail: null,
  answer: null,
  value: null,
  usage: null,
  background: null,
} as const

/** The columns of a live turn that the ledger does not have yet. No other code derives them. */
function living({ id, facts, end, sessionId, partialText: partial, ...live }: LiveStatus): Known {
  const { parentTurn, acceptedAt, attachments } = facts
  const { firstAt, dispatchedAt, startedAt, contextReset } = live
  const usage = live.usageSoFar.outputTokens > 0 ? live.usageSoFar : null
  const ending = end ?? { ...endless, usage, settledAt: null, partial, sessionId }
  return { id, parentTurn, attachments, acceptedAt, firstAt, dispatchedAt, startedAt, contextReset, ...ending }
}

/** A row of the ledger, with the current values of a live turn. */
export function withLiveValues<Row extends Pick<TurnRow, 'startedAt'>>(row: Row, live: LiveStatus | undefined): Row {
  if (live === undefined) return row
  // If the turn was started by an earlier daemon, the ledger may already have its start.
  const known = { ...living(live), startedAt: live.startedAt ?? row.startedAt }
  return Object.fromEntries(
    Object.entries(row).map(([column, stored]) => [column, column in known ? known[column as never] : stored]),
  ) as Row
}

interface ViewFacts {
  /** The current time, used for a turn that is no longer in memory, milliseconds since the epoch. */
  readonly now: number
  readonly rowOf: (session: number) => Pair & { readonly sessionId: string }
  /** Hides secrets in Iris's own texts. */
  readonly withoutSecrets: (text: string) => string
  /** The status of a turn that is still running. */
  readonly ongoing: 'async' | 'mcp_timeout'
}

/** A turn as its caller sees it. Only a completed turn has a `response`. */
export function turnView(found: TurnStatus, facts: ViewFacts): TurnResult {
  const live = 'live' in found ? found.live : undefined
  const pair = 'row' in found ? facts.rowOf(found.row.session) : found.live.pair
  const turn =
    'row' in found ? { ...found.row, sessionId: facts.rowOf(found.row.session).sessionId } : living(found.live)
  const now = live?.now ?? facts.now
  const since = (at: number | null): number => Math.max(0, (at ?? now) - turn.acceptedAt)
  const subagents = turn.outcome === null ? (live?.subagents ?? []) : []
  return {
    status: turn.outcome ?? facts.ongoing,
    turnId: turn.id,
    sessionId: turn.sessionId,
    from: pair.from,
    to: pair.to,
    thread: pair.thread,
    ...(turn.outcome === 'completed' && { response: turn.answer ?? '' }),
    ...(turn.outcome === 'completed' && turn.value !== null && { value: JSON.parse(turn.value) }),
    ...(turn.outcome !== 'completed' && turn.partial && { partialResponse: turn.partial }),
    ...(turn.reason !== null && { reason: turn.reason }),
    ...(turn.detail !== null && { detail: facts.withoutSecrets(turn.detail) }),
    ...(turn.background !== null && { background: [...turn.background] }),
    ...(subagents.length > 0 && { subagents: [...subagents] }),
    ...(turn.contextReset !== null && { contextReset: turn.contextReset }),
    delivered: turn.startedAt !== null,
    queuedMs: since(turn.dispatchedAt ?? turn.settledAt),
    durationMs: since(turn.settledAt),
    ...(turn.usage !== null && { usage: turn.usage }),
  }
}

/** Everything the agent said, including the text before and between its tools. */
export function everythingSaid(found: TurnStatus): string {
  const { partial, answer } = 'row' in found ? found.row : living(found.live)
  return partial ?? answer ?? ''
}

export function statusOf({ outcome, dispatchedAt }: Pick<TurnRow, 'outcome' | 'dispatchedAt'>) {
  return outcome ?? (dispatchedAt === null ? 'queued' : 'working')
}

type Shown =
  | 'reason'
  | 'detail'
  | 'attachments'
  | 'contextReset'
  | 'usage'
  | 'background'
  | 'value'
  | 'settledAt'
  | Exclude<Time, 'firstAt'>
type Facts = Pick<z.output<typeof turnTranscript.output>, 'turnId' | 'parentTurnId' | 'status' | Shown>

/** `row` must be up to date. */
export function turnFacts(
  row: Pick<Known, 'id' | 'parentTurn' | 'outcome' | Shown>,
  { secrets }: Pick<TurnModelParts, 'secrets'>,
): Facts {
  const {
    reason,
    detail,
    attachments,
    contextReset,
    usage,
    background,
    acceptedAt,
    dispatchedAt,
    startedAt,
    settledAt,
  } = row
  return {
    turnId: row.id,
    ...(row.parentTurn !== null && { parentTurnId: row.parentTurn }),
    status: statusOf(row),
    ...(reason !== null && { reason }),
    ...(detail !== null && { detail: secrets.hideInText(detail) }),
    ...(attachments !== null && { attachments: [...attachments] }),
    ...(contextReset !== null && { contextReset }),
    ...(usage !== null && { usage }),
    ...(background !== null && { background: [...background] }),
    ...(row.outcome === 'completed' && row.value !== null && { value: row.value }),
    acceptedAt,
    ...(dispatchedAt !== null && { dispatchedAt }),
    ...(startedAt !== null && { startedAt }),
    ...(settledAt !== null && { settledAt }),
  }
}

/** Brings rows up to date and returns them as views. */
export async function summaries(rows: readonly TurnSummary[], parts: TurnModelParts): Promise<TurnSummaryView[]> {
  const living = await parts.turns.living(rows.map(({ id }) => id))
  return rows.map((row) => summaryView(withLiveValues(row, living.get(row.id)), parts))
}

const maxMessage = 200

type Shows = Pick<TurnModelParts, 'secrets' | 'seams' | 'live'> & { readonly waits: Pick<Waits, 'of'> }

/** `row` must be up to date. */
export function summaryView(row: TurnSummary, { secrets, seams, live, waits }: Shows): TurnSummaryView {
  const { id, parentTurn, from, to, thread, sessionId, message } = row
  const { reason, detail, acceptedAt, settledAt, usage } = row
  const question = settledAt === null ? seams.questions.ofTurn(id) : undefined
  const waitsFor = settledAt === null ? waits.of(id) : undefined
  const waitsToBeLetIn = settledAt === null && isOpenSessionThread(thread) && live.of(id)?.isWaiting === true
  return {
    turnId: id,
    parentTurnId: parentTurn,
    from,
    to,
    thread,
    sessionId,
    reason,
    acceptedAt,
    settledAt,
    usage,
    message: message.length > maxMessage ? `${message.slice(0, maxMessage - 1)}…`.toWellFormed() : message,
    status: statusOf(row),
    ...(question && { waitsForPermission: question.toolName }),
    ...(waitsFor && { waitsFor }),
    ...(waitsToBeLetIn && { waitsToBeLetIn }),
    detail: detail && secrets.hideInText(detail),
  }
}
