import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call, type Output, type Problem } from '../../shared/api/operations.ts'
import type { InboxPlace } from './place-tabs.tsx'

/** One place of the inbox, as Iris keeps it for every browser. */
export function useInbox(place: InboxPlace, find: string) {
  const input = { ...(place !== 'inbox' && { place }), ...(find !== '' && { query: find }) }
  return useQuery<Output<'list_inbox'>, Problem>({
    queryKey: ['list_inbox', input],
    queryFn: ({ signal }) => call('list_inbox', input, { signal }),
    placeholderData: keepPreviousData,
    // Iris may have published changes while nobody used this query.
    staleTime: 0,
  })
}
