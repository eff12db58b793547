import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { call, type Output, type Problem } from '../../shared/api/operations.ts'
import { LiveTexts, type TextFrame } from '../../shared/stream/live-texts.ts'

export type Overview = Output<'viewer_overview'>
export type Conversation = Overview['conversations'][number]
export type ChatTurn = Output<'viewer_messages'>['turns'][number]

export interface Place {
  readonly team: string
  readonly conversation: string
}

export function isOpen({ status }: Pick<ChatTurn, 'status'>): boolean {
  return status === 'queued' || status === 'working'
}

/** The polling interval, in milliseconds. The tools of a running answer arrive only by polling. */
const askAgainMs = 2000
const reconnectMs = 3000

/** The turns of a conversation; polled while one of them is open. */
export function useChatTurns(place: Place) {
  return useQuery<Output<'viewer_messages'>, Problem>({
    queryKey: ['viewer_messages', place],
    queryFn: ({ signal }) => call('viewer_messages', place, { signal }),
    refetchInterval: ({ state }) => (state.data?.turns.some(isOpen) ? askAgainMs : false),
  })
}

const texts = new LiveTexts()

/** The text of a running answer so far. */
export function useLiveText(turnId: string): string | undefined {
  return useSyncExternalStore(texts.subscribe, () => texts.of(turnId))
}

/** Follows the person's own conversations. Returns whether Iris is reachable. */
export function useChatStream(): boolean {
  const queries = useQueryClient()
  const [isLive, setLive] = useState(false)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    const stream = new EventSource('/api/viewer/stream')
    let again: ReturnType<typeof setTimeout> | undefined
    const reload = (): void => {
      for (const name of ['viewer_overview', 'viewer_messages']) void queries.invalidateQueries({ queryKey: [name] })
    }
    const on = <Data>(type: string, take: (data: Data) => void): void =>
      stream.addEventListener(type, ({ data }: MessageEvent<string>) => take(JSON.parse(data) as Data))
    on<{ turns: readonly TextFrame[] }>('snapshot', ({ turns }) => {
      texts.restart(turns)
      setLive(true)
      reload()
    })
    on<TextFrame>('turn-text', (frame) => texts.add(frame))
    on('turn-accepted', reload)
    on('turn-delivered', reload)
    on('turn-settled', reload)
    on('turn-reported', reload)
    stream.onerror = () => {
      setLive(false)
      // A browser does not reconnect by itself after a refusal.
      if (stream.readyState === EventSource.CLOSED) again = setTimeout(() => setTries(tries + 1), reconnectMs)
    }
    return () => {
      clearTimeout(again)
      stream.close()
    }
  }, [queries, tries])
  return isLive
}
