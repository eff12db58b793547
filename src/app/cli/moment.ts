import { systemClock } from '../../base/lib/clock.ts'
import { durationText } from './say.ts'

/** `2026-11-22 14:03:59` in local time; `at` in milliseconds since the epoch. */
export function localTime(at: number): string {
  return localTimeWithMs(at).slice(0, -4)
}

/** `2026-11-22 14:03:59.123` in local time. */
export function localTimeWithMs(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().replace('T', ' ').replace('Z', '')
}

/** Local time with the distance from now: `2026-11-22 14:03:59 (3 minutes ago)`. */
export function momentText(at: number, now = systemClock.now()): string {
  const ms = now - at
  if (Math.abs(ms) < 1000) return `${localTime(at)} (now)`
  return `${localTime(at)} (${ms > 0 ? `${durationText(ms)} ago` : `in ${durationText(-ms)}`})`
}
