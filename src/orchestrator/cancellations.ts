import type { Cancellation } from '../protocol/turn.ts'

export const onRequest: Cancellation = { reason: 'cancelled', detail: 'Cancelled on request.' }
export const withItsAsker: Cancellation = {
  reason: 'asker_cancelled',
  detail: 'The turn that waited for it was cancelled.',
}
export const withItsSession: Cancellation = { reason: 'cancelled', detail: 'Its conversation was ended on request.' }
