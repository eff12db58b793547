import { systemClock } from '../../base/lib/clock.ts'

/** `2026-11-22 14:03:59` in local time; `at` in milliseconds since the epoch. */
export function localTime(at: number): string {
  return localTimeWithMs(at).slice(0, -4)
}

/** How the times of limits are written in a terminal. */
export function localTimes(): { readonly at: typeof localTime; readonly now: number } {
  return { at: localTime, now: systemClock.now() }
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

/** `2 minutes`, `3 hours`: in the largest unit that fits, at least one second. */
export function durationText(ms: number): string {
  const units = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1000, 'second'],
  ] as const
  const [length, name] = units.find(([unit]) => ms >= unit) ?? units[3]
  const count = Math.max(1, Math.floor(ms / length))
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
