import { instantIn } from '../../base/lib/instant.ts'
import { daysLater, isZone, momentOf, type WallTime, wallTimeOf, weekdayOf } from '../../base/lib/zoned-time.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Every } from '../../base/protocol/schedule.ts'

/** When a scheduled message is sent: once or repeatedly, by the wall clock of a time zone. */
export interface SchedulePlan {
  /** Null if the message is sent once. */
  readonly every: Every | null
  readonly zone: string
  /** The wall-clock time. If the message is sent every hour, only the minute matters. */
  readonly hour: number
  readonly minute: number
  /** From 0 for Sunday to 6 for Saturday. Matters only if the message is sent every week. */
  readonly weekday: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A time further ahead is more likely a mistake than a wish. */
const maxAheadMs = 366 * 24 * hourMs

/**
 * Parses when to send a message. `at`: "9:00", ISO 8601, or milliseconds since the epoch. If absent, the message is
 * sent one period from now. Returns the plan and its first time. Throws `invalid_input`.
 */
export function planned(
  {
    at,
    every,
    timeZone,
  }: { readonly at?: string | number | undefined; readonly every?: Every | undefined; readonly timeZone: string },
  now: number,
): { readonly plan: SchedulePlan; readonly nextAt: number } {
  if (!isZone(timeZone))
    throw new IrisError('invalid_input', `There is no time zone "${timeZone}".`, 'Use a name like Europe/Berlin.')
  const moment = at === undefined ? now : momentIn(at)
  const given = moment === undefined ? read(String(at), wallTimeOf(now, timeZone)) : wallTimeOf(moment, timeZone)
  const plan: SchedulePlan = {
    every: every ?? null,
    zone: timeZone,
    hour: given.hour,
    minute: given.minute,
    weekday: weekdayOf(given),
  }
  if (at === undefined || (moment === undefined && !isDated(String(at))))
    return { plan, nextAt: nextTime({ ...plan, every: every ?? 'day' }, now) }
  const nextAt = moment ?? momentOf(given, timeZone)
  const shown = `${at} (${timeZone})`
  if (nextAt <= now) throw new IrisError('invalid_input', `${shown} is in the past.`, 'Choose a time in the future.')
  if (nextAt - now > maxAheadMs)
    throw new IrisError('invalid_input', `${shown} is more than a year away.`, 'Choose a time within a year.')
  return { plan, nextAt }
}

/** The first time of the plan after `after`, milliseconds since the epoch. */
export function nextTime({ every, zone, hour, minute, weekday }: SchedulePlan, after: number): number {
  const wall = wallTimeOf(after, zone)
  if (every === 'hour') {
    const begun = Math.floor(after / minuteMs) * minuteMs
    return begun + ((minute - wall.minute + 59) % 60) * minuteMs + minuteMs
  }
  for (let days = 0; ; days++) {
    const day = daysLater(wall, days)
    const moment = momentOf({ ...day, hour, minute }, zone)
    if (moment > after && fits(every, weekdayOf(day), weekday)) return moment
  }
}

function fits(every: Every | null, day: number, weekday: number): boolean {
  if (every === 'week') return day === weekday
  return every !== 'weekday' || (day >= 1 && day <= 5)
}

const time = /^(\d{1,2}):(\d{2})$/
const date = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{1,2}):(\d{2})$/

/**
 * Milliseconds since the epoch, if `at` is in milliseconds or names its time zone. Undefined if `at` is a wall-clock
 * time.
 */
function momentIn(at: string | number): number | undefined {
  if (typeof at === 'number') return at
  const ms = /(?:Z|[+-]\d\d:?\d\d)$/.test(at) ? instantIn(at) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

function isDated(at: string): boolean {
  return date.test(at)
}

function read(at: string, today: WallTime): WallTime {
  const [, hour, minute] = time.exec(at) ?? []
  const [, year, month, day, ...rest] = date.exec(at) ?? []
  const wall: WallTime =
    hour !== undefined
      ? { ...today, hour: Number(hour), minute: Number(minute) }
      : { year: Number(year), month: Number(month), day: Number(day), hour: Number(rest[0]), minute: Number(rest[1]) }
  // A day or an hour that does not exist is moved to one that does.
  const same = new Date(Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute))
  if (
    same.getUTCDate() === wall.day &&
    same.getUTCMonth() === wall.month - 1 &&
    same.getUTCHours() === wall.hour &&
    same.getUTCMinutes() === wall.minute
  )
    return wall
  throw new IrisError('invalid_input', `"${at}" is not a time.`, 'Write 9:00, or 2026-12-01T09:00.')
}
