import type { z } from 'zod'
import type { TurnSummaryView } from '../../base/protocol/operations/trace.ts'
import type { turnTranscript } from '../../base/protocol/operations/turns.ts'
import type { LiveStatus } from '../../core/orchestrator/turn-handle.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { TurnSummary } from '../../platform/store/turn-list.ts'
import type { Domain } from './call.ts'

/** The read model of turns: what the ledger has of one, with what it does not know yet of a living one. */
type Known = Pick<TurnRow, 'outcome' | 'reason' | 'detail' | 'usage' | 'dispatchedAt' | 'startedAt' | 'settledAt'>

/** A row of the ledger, up to date: the one place where a living turn is laid over its row. */
export function asItStands<Row extends Known>(row: Row, live: LiveStatus | undefined): Row {
  if (live === undefined) return row
  const { firstAt, dispatchedAt, contextReset } = live
  const known = { firstAt, dispatchedAt, contextReset, startedAt: live.startedAt ?? row.startedAt, ...live.end }
  return Object.fromEntries(
    Object.entries(row).map(([column, stored]) => [column, column in known ? known[column as never] : stored]),
  ) as Row
}

export function statusOf({ outcome, dispatchedAt }: Pick<TurnRow, 'outcome' | 'dispatchedAt'>) {
  return outcome ?? (dispatchedAt === null ? 'queued' : 'working')
}

type Fact = 'parentTurn' | 'contextReset' | 'background' | 'acceptedAt'
type Transcript = z.output<typeof turnTranscript.output>
type ShownFact = Exclude<keyof Known | Fact, 'outcome' | 'parentTurn'>
type Facts = Pick<Transcript, 'turnId' | 'parentTurnId' | 'status' | ShownFact>

/** Of a row that is up to date. */
export function turnFacts(row: Known & Pick<TurnRow, 'id' | Fact>, { secrets }: Pick<Domain, 'secrets'>): Facts {
  const { reason, detail, contextReset, usage, background, acceptedAt, dispatchedAt, startedAt, settledAt } = row
  return {
    turnId: row.id,
    ...(row.parentTurn !== null && { parentTurnId: row.parentTurn }),
    status: statusOf(row),
    ...(reason !== null && { reason }),
    ...(detail !== null && { detail: secrets.hideInText(detail) }),
    ...(contextReset !== null && { contextReset }),
    ...(usage !== null && { usage }),
    ...(background !== null && { background: [...background] }),
    acceptedAt,
    ...(dispatchedAt !== null && { dispatchedAt }),
    ...(startedAt !== null && { startedAt }),
    ...(settledAt !== null && { settledAt }),
  }
}

/** Rows as views, each up to date. */
export async function summaries(rows: readonly TurnSummary[], domain: Domain): Promise<TurnSummaryView[]> {
  const living = await domain.turns.living(rows.map(({ id }) => id))
  return rows.map((row) => summaryView(asItStands(row, living.get(row.id)), domain))
}

const longestMessage = 200

/** Of a row that is up to date. */
export function summaryView(row: TurnSummary, { secrets }: Pick<Domain, 'secrets'>): TurnSummaryView {
  const { id, parentTurn, from, to, thread, sessionId, message } = row
  const { reason, detail, acceptedAt, settledAt, usage } = row
  return {
    ...{ turnId: id, parentTurnId: parentTurn, from, to, thread, sessionId, reason, acceptedAt, settledAt, usage },
    message: message.length > longestMessage ? `${message.slice(0, longestMessage - 1)}…`.toWellFormed() : message,
    status: statusOf(row),
    detail: detail && secrets.hideInText(detail),
  }
}
