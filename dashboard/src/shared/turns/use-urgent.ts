import { isBusy, needOf } from '../../../../src/base/protocol/standing.ts'
import type { Output } from '../api/operations.ts'
import { useOperation } from '../api/use-operation.ts'

type Urgent = Output<'get_inbox'>['sessions'][number]

/** The conversations that need somebody or are working, by session id, so that lists show the same as the inbox. */
export function useUrgent(): ReadonlyMap<string, Urgent> {
  // The inbox has all of them, however short its page is.
  const { data: inbox } = useOperation('get_inbox', { limit: 1 })
  return new Map(
    inbox?.sessions.filter((session) => needOf(session) || isBusy(session)).map((each) => [each.sessionId, each]),
  )
}
