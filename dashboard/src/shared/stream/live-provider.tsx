import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Connection, StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import { Live } from './live.ts'

const LiveContext = createContext<Live | undefined>(undefined)

export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const [live, setLive] = useState<Live>()
  useEffect(() => {
    const opened = new Live(queries)
    // This draws the whole page, so it is done in slices.
    startTransition(() => setLive(opened))
    return () => opened.end()
  }, [queries])
  return live && <LiveContext value={live}>{children}</LiveContext>
}

function useLive(): Live {
  const live = useContext(LiveContext)
  if (live === undefined) throw new Error('This is shown outside <LiveProvider>.')
  return live
}

export function useConnection(): Connection {
  const live = useLive()
  return useSyncExternalStore(live.onConnection, () => live.connection)
}

/** What a turn has said so far, while it is being answered. */
export function useLiveText(turnId: string): string | undefined {
  const { texts } = useLive()
  return useSyncExternalStore(texts.subscribe, () => texts.of(turnId))
}

/** All that a turn has said, also for a while after its end. */
export function useSaidText(turnId: string): string | undefined {
  const { texts } = useLive()
  return useSyncExternalStore(texts.subscribe, () => texts.saidBy(turnId))
}

/** What a turn is thinking right now; empty while it is not thinking. */
export function useLiveThought(turnId: string): string {
  const { thoughts } = useLive()
  return useSyncExternalStore(thoughts.subscribe, () => thoughts.of(turnId) ?? '')
}

/** Calls `listener` with every frame of the stream; give it a stable function. */
export function useFrames(listener: (frame: StreamFrame) => void): void {
  const live = useLive()
  useEffect(() => live.onFrame(listener), [live, listener])
}
