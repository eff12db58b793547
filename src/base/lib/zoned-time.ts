/** A time as a clock on the wall shows it, without a zone. `month` is 1 to 12. */
export interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Creating a format takes a thousand times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  formats.set(zone, format)
  return format
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** The wall-clock time in the zone at `at`, milliseconds since the epoch. */
export function wallTimeOf(at: number, zone: string): WallTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = ['year', 'month', 'day', 'hour', 'minute'].map((part) =>
    parts.get(part as Intl.DateTimeFormatPartTypes),
  )
  return { year, month, day, hour, minute }
}

/**
 * When the wall clock shows this time, milliseconds since the epoch. If clocks go back and the time occurs twice, the
 * first of the two. If clocks go forward and skip the time, it is shifted later by the size of the gap.
 */
export function momentOf(wall: WallTime, zone: string): number {
  const asUtc = utcOf(wall)
  const [before, after] = [asUtc - dayMs, asUtc + dayMs].map((at) => offsetAt(at, zone)) as [number, number]
  const early = asUtc - before
  if (offsetAt(early, zone) === before) return early
  const late = asUtc - after
  return offsetAt(late, zone) === after ? late : early
}

/** How far the wall clock of the zone is ahead of UTC, in milliseconds, to the minute. */
function offsetAt(at: number, zone: string): number {
  return utcOf(wallTimeOf(at, zone)) - Math.floor(at / minuteMs) * minuteMs
}

function utcOf({ year, month, day, hour, minute }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute)
}

/** The same time of day, `days` days later. */
export function daysLater(wall: WallTime, days: number): WallTime {
  const date = new Date(Date.UTC(wall.year, wall.month - 1, wall.day + days))
  return { ...wall, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** 0 Sunday to 6 Saturday. */
export function weekdayOf({ year, month, day }: WallTime): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay()
}
