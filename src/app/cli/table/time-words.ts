import { systemClock } from '../../../base/lib/clock.ts'
import { durationIn } from '../../../base/lib/duration.ts'
import { instantIn } from '../../../base/lib/instant.ts'

/** Milliseconds since the epoch, from ISO 8601, bare milliseconds or an age such as `2h`; NaN for anything else. */
export function timeIn(text: string, now = systemClock.now()): number {
  if (/^\d+(\.\d+)?(s|m|h|d)$/.test(text)) return now - durationIn(text)
  return /^\d{1,15}$/.test(text) ? Number(text) : instantIn(text)
}
