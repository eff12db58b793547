import type { Cancellation } from '../../base/protocol/turn.ts'
import type { Settlement, TurnRow } from '../../platform/store/ledger.ts'
import { endedBy } from '../turn/verdict.ts'

/** The settlement of a turn that was marked as ending when Iris stopped. The turn is not resumed. */
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
