import type { z } from 'zod'
import type { getDate } from '../contract/date.ts'

const dayMs = 86_400_000

/** `now` in milliseconds since the epoch. */
export function date(now: number): z.output<typeof getDate.output> {
  const at = new Date(now)
  const year = at.getUTCFullYear()
  return {
    timestamp: now,
    iso: at.toISOString(),
    utc: at.toUTCString(),
    unix: Math.floor(now / 1000),
    components: {
      year,
      month: at.getUTCMonth() + 1,
      day: at.getUTCDate(),
      hours: at.getUTCHours(),
      minutes: at.getUTCMinutes(),
      seconds: at.getUTCSeconds(),
      milliseconds: at.getUTCMilliseconds(),
      dayOfWeek: at.getUTCDay(),
      dayOfYear: Math.floor((now - Date.UTC(year, 0, 1)) / dayMs) + 1,
    },
  }
}
