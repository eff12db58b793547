import { useCallback, useState } from 'react'
import type { StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import { useFrames } from '../../shared/stream/live-provider.tsx'
import type { Conversation } from './use-session-turns.ts'

type Session = Conversation['session']

/** The present state of the conversation: first from Iris's answer, then from the stream. */
export function useLiveSession({ session, timestamp }: Conversation): Session {
  const [changed, setChanged] = useState<{ readonly at: number; readonly session: Session }>()
  const { sessionId } = session
  const take = useCallback(
    ({ type, data }: StreamFrame) => {
      const frame = data as { readonly at: number; readonly session: Session }
      if (type === 'session-changed' && frame.session.sessionId === sessionId) setChanged(frame)
    },
    [sessionId],
  )
  useFrames(take)
  return changed !== undefined && changed.at >= timestamp && changed.session.sessionId === sessionId
    ? changed.session
    : session
}
