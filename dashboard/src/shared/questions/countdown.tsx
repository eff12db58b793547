import { timeLeft } from '../format/durations.ts'
import { useNow } from '../ui/time-since.tsx'
import { texts } from './texts.ts'

/** `skewMs`: how far Iris's clock is ahead of this one. */
export function Countdown({ deadline, skewMs }: { readonly deadline: number; readonly skewMs: number }) {
  const left = Math.max(0, deadline - useNow() - skewMs)
  return (
    <span
      role="timer"
      className={`tabular-nums whitespace-nowrap ${left < 60_000 ? 'text-bad font-semibold' : 'text-muted'}`}
    >
      {left === 0 ? texts.deniedNow : texts.deniedIn(timeLeft(left))}
    </span>
  )
}
