import type { Settlement, TurnRow } from '../store/ledger.ts'

/** Its conversation was ended on request, and Iris before the turn was told: it is not taken up again. */
export function endedWithItsSession({ partial, startedAt, dispatchedAt }: TurnRow, settledAt: number): Settlement {
  return {
    outcome: 'cancelled',
    reason: 'cancelled',
    detail: 'Its conversation was ended on request.',
    answer: null,
    partial,
    usage: null,
    startedAt,
    settledAt,
    contextReset: null,
    answeredDelivery: null,
    neverBegan: dispatchedAt === null,
    contextTokens: null,
    contextWindow: null,
  }
}
