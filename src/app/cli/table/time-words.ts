import { systemClock } from '../../../base/lib/clock.ts'

const unitMs: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration in milliseconds, from `30s`, `5m`, `2h`, `1d` or bare milliseconds; NaN for anything else. */
export function durationIn(text: string): number {
  const [, count = '', unit = ''] = /^(-?\d+(?:\.\d+)?)(ms|s|m|h|d|)$/.exec(text.trim()) ?? []
  return count === '' ? Number.NaN : Math.round(Number(count) * unitMs[unit]!)
}

/** Milliseconds since the epoch, from a date, bare milliseconds or an age such as `2h`; NaN for anything else. */
export function timeIn(text: string, now = systemClock.now()): number {
  if (/^\d+(\.\d+)?(s|m|h|d)$/.test(text)) return now - durationIn(text)
  return /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text)
}
