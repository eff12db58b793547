import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { useOperation } from '../../shared/api/use-operation.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'

/** What comes within it is asked for once. */
const gatherMs = 500

/** Everything of a turn, asked for again when the stream says that there is more. */
export function useTranscript(turnId: string, isFull: boolean) {
  const queries = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  useFrames(
    useCallback(
      ({ type, data }) => {
        const isOfIt = (data as { readonly turnId?: unknown }).turnId === turnId
        if (!isOfIt || (type !== 'turn-message' && type !== 'turn-settled')) return
        waiting.current ??= setTimeout(() => {
          waiting.current = undefined
          const isIts = (input: unknown): boolean =>
            (input as { readonly turnId?: unknown } | undefined)?.turnId === turnId
          void queries.invalidateQueries({
            predicate: ({ queryKey: [name, input] }) => name === 'turn_transcript' && isIts(input),
          })
        }, gatherMs)
      },
      [queries, turnId],
    ),
  )
  useEffect(() => () => clearTimeout(waiting.current), [])
  return useOperation('turn_transcript', { turnId, ...(isFull && { full: true }) })
}
