import { call } from '../api/operations.ts'
import { draftTo } from './draft.ts'
import { useSending } from './use-sending.ts'

/** A person's message to a team, as it is being written. */
export function useAsking(toTeam: string, thread: string) {
  return useSending(draftTo(toTeam, thread), (outgoing, idempotencyKey) =>
    call('quick_message', { toTeam, thread, ...outgoing }, { idempotencyKey }),
  )
}
