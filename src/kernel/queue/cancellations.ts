import type { Cancellation } from '../../base/protocol/turn.ts'
import { isStoreTrouble } from '../../platform/store/store-trouble.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Turn } from '../turn/turn.ts'

export const onRequest: Cancellation = { reason: 'cancelled', detail: 'Cancelled on request.' }
export const forAnother: Cancellation = {
  reason: 'cancelled',
  detail: 'Cancelled by a later message in the same conversation (whenBusy: interrupt).',
}
export const withItsAsker: Cancellation = {
  reason: 'asker_cancelled',
  detail: 'The turn that was waiting for it was cancelled.',
}
export const withItsSession: Cancellation = { reason: 'cancelled', detail: 'Its conversation was ended on request.' }

/**
 * Records that these turns are ending, before they are cancelled, so that the next start does not resume them. If the
 * store fails, they are cancelled anyway, and could be resumed only after a crash.
 */
export function markEnding(
  turns: readonly Turn[],
  why: Cancellation,
  { trees, log }: Pick<OrchestratorParts, 'trees' | 'log'>,
): void {
  const ids = turns.map(({ id }) => id)
  try {
    trees.markEnding(ids, why)
  } catch (error) {
    if (!isStoreTrouble(error)) throw error
    log.error(`the store has not recorded that these turns are ending: ${String(error)}`, { turns: ids })
  }
}
