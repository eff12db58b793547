import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call, type Output } from '../../shared/api/operations.ts'
import { useOperation } from '../../shared/api/use-operation.ts'

export type ListedTurn = Output<'session_turns'>['turns'][number]
export type Conversation = Output<'session_turns'>

const pageSize = 50

/** What is known about a conversation as a whole, and how many turns it has; kept up to date by the stream. */
export function useConversation(sessionId: string) {
  return useOperation('session_turns', { sessionId, limit: 1 })
}

/**
 * The turns between two places, as far as they are loaded. They are requested in pages that begin at fixed places, and
 * only the pages on the screen are kept up to date, so a conversation costs only as much as the reader sees of it.
 */
export function useTurnsBetween(sessionId: string, first: number, last: number): ReadonlyMap<number, ListedTurn> {
  const from = Math.floor(Math.max(0, first) / pageSize)
  const count = last < 0 ? 0 : Math.floor(last / pageSize) - from + 1
  const pages = useQueries({
    queries: Array.from({ length: count }, (_, index) => {
      const input = { sessionId, limit: pageSize, offset: (from + index) * pageSize }
      return {
        queryKey: ['session_turns', input],
        queryFn: ({ signal }: { signal: AbortSignal }) => call('session_turns', input, { signal }),
      }
    }),
    combine: (results) => results.map(({ data }) => data),
  })
  return useMemo(
    () =>
      new Map(pages.flatMap((page) => page?.turns.map((turn, index) => [page.offset + index, turn] as const) ?? [])),
    [pages],
  )
}
