import { timeLeft } from '../format/durations.ts'
import { useWordsNow } from '../ui/time-since.tsx'
import { texts } from './texts.ts'

/** `skewMs`: how far Iris's clock is ahead of this browser's, in milliseconds. */
export function Countdown({ deadline, skewMs }: { readonly deadline: number; readonly skewMs: number }) {
  const leftAt = (now: number): number => Math.max(0, deadline - now - skewMs)
  const words = useWordsNow((now) => (leftAt(now) === 0 ? texts.deniedNow : texts.deniedIn(timeLeft(leftAt(now)))))
  const tone = useWordsNow((now) => (leftAt(now) < 60_000 ? 'text-bad font-semibold' : 'text-muted'))
  return (
    <span role="timer" className={`tabular-nums whitespace-nowrap ${tone}`}>
      {words}
    </span>
  )
}
