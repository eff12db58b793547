import type { Settlement, TurnRow } from '../../platform/store/ledger.ts'
import type { Verdict } from '../turn/verdict.ts'

/** The settlement of a turn that an earlier daemon left unsettled and that is not resumed. */
export function endedMeanwhile(
  { firstAt, startedAt, dispatchedAt }: TurnRow,
  end: Verdict,
  settledAt: number,
): Settlement {
  return {
    ...end,
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
