import type { LiveStatus } from '../orchestrator/turn-handle.ts'
import type { TurnSummaryView } from '../protocol/operations/trace.ts'
import type { TurnSummary } from '../store/turn-list.ts'
import type { Domain } from './call.ts'

const longestMessage = 200

/** As the ledger has it, with what it does not know yet of a living turn. */
export function upToDate(row: TurnSummary, live: LiveStatus | undefined): TurnSummary {
  if (live === undefined) return row
  const { firstAt, dispatchedAt, startedAt } = live
  const times = { firstAt, dispatchedAt, startedAt: startedAt ?? row.startedAt }
  const { outcome, reason, detail, usage, settledAt } = live.end ?? row
  return { ...row, ...times, outcome, reason, detail, usage, settledAt }
}

/** Rows as views, each up to date. */
export async function summaries(rows: readonly TurnSummary[], domain: Domain): Promise<TurnSummaryView[]> {
  const living = await domain.turns.living(rows.map(({ id }) => id))
  return rows.map((row) => summaryView(upToDate(row, living.get(row.id)), domain))
}

/** `row` up to date. */
export function summaryView(row: TurnSummary, { secrets }: Pick<Domain, 'secrets'>): TurnSummaryView {
  const { id, parentTurn, from, to, thread, sessionId, message, dispatchedAt, outcome } = row
  const { reason, detail, acceptedAt, settledAt, usage } = row
  return {
    ...{ turnId: id, parentTurnId: parentTurn, from, to, thread, sessionId, reason, acceptedAt, settledAt, usage },
    message: message.length > longestMessage ? `${message.slice(0, longestMessage - 1)}…`.toWellFormed() : message,
    status: outcome ?? (dispatchedAt === null ? 'waiting' : 'running'),
    detail: detail && secrets.hideInText(detail),
  }
}
