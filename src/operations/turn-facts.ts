import type { z } from 'zod'
import type { LiveStatus } from '../orchestrator/turn-handle.ts'
import type { turnTranscript } from '../protocol/operations/turns.ts'
import type { TurnRow } from '../store/ledger.ts'
import type { Domain } from './call.ts'

type Transcript = z.output<typeof turnTranscript.output>
type Facts = Pick<
  Transcript,
  | 'turnId'
  | 'parentTurnId'
  | 'status'
  | 'reason'
  | 'detail'
  | 'contextReset'
  | 'usage'
  | 'background'
  | 'acceptedAt'
  | 'dispatchedAt'
  | 'startedAt'
  | 'settledAt'
>
type Row = Pick<
  TurnRow,
  | 'id'
  | 'parentTurn'
  | 'outcome'
  | 'reason'
  | 'detail'
  | 'contextReset'
  | 'usage'
  | 'background'
  | 'acceptedAt'
  | 'dispatchedAt'
  | 'startedAt'
  | 'settledAt'
>

/** How a turn stands, with its times; what lives knows more than its row. */
export function turnFacts(row: Row, live: LiveStatus | undefined, { secrets }: Pick<Domain, 'secrets'>): Facts {
  const { outcome, reason, detail, usage, background, settledAt } = live?.end ?? row
  const dispatchedAt = live?.dispatchedAt ?? row.dispatchedAt
  const startedAt = live?.startedAt ?? row.startedAt
  const contextReset = live?.contextReset ?? row.contextReset
  return {
    turnId: row.id,
    ...(row.parentTurn !== null && { parentTurnId: row.parentTurn }),
    status: outcome ?? (dispatchedAt === null ? 'waiting' : 'running'),
    ...(reason !== null && { reason }),
    ...(detail !== null && { detail: secrets.hideInText(detail) }),
    ...(contextReset !== null && { contextReset }),
    ...(usage !== null && { usage }),
    ...(background !== null && { background: [...background] }),
    acceptedAt: row.acceptedAt,
    ...(dispatchedAt !== null && { dispatchedAt }),
    ...(startedAt !== null && { startedAt }),
    ...(settledAt !== null && { settledAt }),
  }
}
