import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import type { OperationName } from '../../../../src/features/contracts.ts'
import { askAgain } from './ask-again.ts'
import { useFrames } from './live-provider.tsx'

type Line = Readonly<Record<string, unknown>>

/** Changes within this time cause one request. */
const gatherMs = 500

/** Requests an operation's result for a turn again when the turn has relevant new lines, or has ended. */
export function useStaleAfterLines(turnId: string, operation: OperationName, matters?: (line: Line) => boolean): void {
  const queries = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  useFrames(
    useCallback(
      ({ type, data }) => {
        const { turnId: of, message } = data as { readonly turnId?: unknown; readonly message?: Line }
        if (of !== turnId || (type !== 'turn-message' && type !== 'turn-settled')) return
        if (type === 'turn-message' && message && matters?.(message) === false) return
        waiting.current ??= setTimeout(() => {
          waiting.current = undefined
          const isIts = (input: unknown): boolean =>
            (input as { readonly turnId?: unknown } | undefined)?.turnId === turnId
          void askAgain(queries, {
            predicate: ({ queryKey: [name, input] }) => name === operation && isIts(input),
          })
        }, gatherMs)
      },
      [queries, turnId, operation, matters],
    ),
  )
  useEffect(() => () => clearTimeout(waiting.current), [])
}
