import { systemClock } from '../../../base/lib/clock.ts'
import { durationIn } from '../../../base/lib/duration.ts'

/** Milliseconds since the epoch, from a date, bare milliseconds or an age such as `2h`; NaN for anything else. */
export function timeIn(text: string, now = systemClock.now()): number {
  if (/^\d+(\.\d+)?(s|m|h|d)$/.test(text)) return now - durationIn(text)
  return /^\d{1,15}$/.test(text) ? Number(text) : Date.parse(text)
}
