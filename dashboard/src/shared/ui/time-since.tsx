import { useSyncExternalStore } from 'react'
import { ago, exactTime } from '../format/times.ts'

/** One timer for all parts that show a time; none if there are none. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) timer = setInterval(tick, 1000)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) clearInterval(timer)
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

/** Milliseconds since the epoch, a new value every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** Words about the time that has passed: rendered again only when they change, not each second. */
export function useWordsNow(words: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => words(now))
}

/** `5 min. ago`, with the exact time shown on hover. */
export function TimeSince({ at }: { readonly at: number }) {
  const since = useWordsNow((now) => ago(at, now))
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)} className="whitespace-nowrap">
      {since}
    </time>
  )
}
