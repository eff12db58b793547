import type { Cancellation } from '../../base/protocol/turn.ts'
import type { Settlement, TurnRow } from '../../platform/store/ledger.ts'
import { endedBy } from './verdict.ts'

/** Iris ended before the turn was told that it was to end: it is not taken up again. */
export function endedMeanwhile(
  { partial, firstAt, startedAt, dispatchedAt }: TurnRow,
  why: Cancellation,
  settledAt: number,
): Settlement {
  return {
    ...endedBy(why, partial ?? ''),
    firstAt,
    startedAt,
    settledAt,
    contextReset: null,
    answeredDelivery: null,
    neverBegan: dispatchedAt === null,
    contextTokens: null,
    contextWindow: null,
    toolEnds: [],
  }
}
