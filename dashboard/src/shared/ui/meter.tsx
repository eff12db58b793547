import { percent } from '../format/figures.ts'

interface MeterProps {
  /** 0 to 1 */
  readonly share: number
  /** What it measures: "Context of frontend to backend". */
  readonly label: string
}

/** From three quarters on, it warns; from nine tenths on, it counts as full. */
export function Meter({ share, label }: MeterProps) {
  const tone = share >= 0.9 ? 'bg-bad' : share >= 0.75 ? 'bg-warn' : 'bg-accent'
  return (
    <span className="inline-flex items-center gap-2">
      <span
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        className="bg-raised inline-block h-2 w-8 overflow-hidden xl:w-16 rounded-full"
      >
        <span className={`${tone} block h-full`} style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
      <span className="text-muted tabular-nums">{percent(share)}</span>
    </span>
  )
}
