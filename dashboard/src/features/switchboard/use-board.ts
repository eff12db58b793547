import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import { call, type Problem } from '../../shared/api/operations.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'
import { useRested } from '../../shared/ui/use-rested.ts'
import { type Board, Changes, type Session } from './changes.ts'

const mostLetters = 200

/**
 * The switchboard as it is now: requested once, then kept up to date by the stream. If there is a text, Iris also
 * searches conversations that are not loaded yet.
 */
export function useBoard(withArchived: boolean, text: string) {
  const [changes] = useState(() => new Changes())
  const queries = useQueryClient()
  const take = useCallback(
    (frame: StreamFrame) => {
      changes.take(frame)
      if (changes.isLong) void queries.invalidateQueries({ queryKey: ['get_switchboard'] }, { cancelRefetch: false })
    },
    [changes, queries],
  )
  useFrames(take)
  const version = useSyncExternalStore(changes.subscribe, changes.version)
  const status = withArchived ? 'all' : 'live'
  const pages = useInfiniteQuery<Board, Problem, { pages: Board[] }, unknown[], string | undefined>({
    queryKey: ['get_switchboard', { status }],
    queryFn: ({ pageParam, signal }) =>
      call('get_switchboard', { status, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Iris may have published changes while nobody used this query.
    staleTime: 0,
    placeholderData: (before) => before,
  })
  const query = useRested(text.trim()).slice(0, mostLetters)
  const found = useQuery<Board, Problem>({
    queryKey: ['get_switchboard', { status, query }],
    queryFn: ({ signal }) => call('get_switchboard', { status, query }, { signal }),
    enabled: query !== '' && pages.hasNextPage,
    placeholderData: keepPreviousData,
  })
  const answeredAt = pages.data?.pages[0]?.timestamp
  useEffect(() => {
    if (answeredAt !== undefined) changes.forgetBefore(answeredAt)
  }, [changes, answeredAt])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that the changes are others
  const board = useMemo(() => {
    const first = pages.data?.pages[0]
    if (first === undefined) return undefined
    const further = query === '' ? [] : (found.data?.sessions ?? [])
    const all = [...further, ...pages.data!.pages.flatMap((page) => page.sessions)]
    const sessions = [...new Map(all.map((session) => [session.sessionId, session])).values()]
    const isShown = ({ status }: Session): boolean => withArchived || status !== 'archived'
    return changes.over({ ...first, sessions }, isShown)
  }, [pages.data, found.data, query, changes, version, withArchived])
  return { board, pages }
}
