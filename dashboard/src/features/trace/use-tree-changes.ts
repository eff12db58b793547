import { useCallback, useEffect, useRef } from 'react'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'

/** A burst of changes causes one request. */
const gatherMs = 500

/** Calls `refresh` soon after something has happened to one of these turns, or one of them has asked somebody. */
export function useTreeChanges(turnIds: ReadonlySet<string>, refresh: () => void): void {
  const latest = useRef({ turnIds, refresh })
  latest.current = { turnIds, refresh }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const take = useCallback((frame: StreamFrame) => {
    if (timer.current !== undefined || !concerns(frame, latest.current.turnIds)) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      latest.current.refresh()
    }, gatherMs)
  }, [])
  useFrames(take)
}

interface Told {
  readonly turnId?: string
  readonly parentTurnId?: string | null
  readonly permission?: { readonly turnId: string | null }
}

function concerns({ type, data }: StreamFrame, turnIds: ReadonlySet<string>): boolean {
  if (type === 'turn-text' || type === 'turn-thinking') return false
  const { turnId, parentTurnId, permission } = data as Told
  return [turnId, parentTurnId, permission?.turnId].some((id) => typeof id === 'string' && turnIds.has(id))
}
