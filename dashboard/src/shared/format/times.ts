const day = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' })
const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const hour = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })
const hourAlone = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
const dayOfYear = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const fine = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

/** The word for `now` in the language of the browser. */
const justNow = relative.format(0, 'second')

const steps = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Only the time for today; date and time for another day. `at` in milliseconds since the epoch. */
export function clockTime(at: number, now = Date.now()): string {
  const [then, today] = [new Date(at), new Date(now)]
  const isToday = then.toDateString() === today.toDateString()
  return isToday ? time.format(then) : `${day.format(then)}, ${time.format(then)}`
}

/** `5 min. ago`, `now` within a minute. */
export function ago(at: number, now = Date.now()): string {
  const passed = now - at
  const step = steps.find(([, length]) => Math.abs(passed) >= length)
  return step ? relative.format(-Math.trunc(passed / step[1]), step[0]) : justNow
}

/** Date and time, shown on hover. */
export function exactTime(at: number): string {
  return `${day.format(at)}, ${time.format(at)}`
}

/** `Nov 25, 10:00 AM` */
export function dayAndHour(at: number): string {
  return hour.format(at)
}

/** `Nov 25, 2026` */
export function wholeDay(at: number): string {
  return day.format(at)
}

/** A mark on an axis of time: the hour, at midnight the day. */
export function timeMark(at: number): string {
  const then = new Date(at)
  const isMidnight = then.getHours() === 0 && then.getMinutes() === 0
  return (isMidnight ? dayOfYear : hourAlone).format(then)
}

/** An hour from 0 to 24, as `10:00 AM` */
export function hourOfDay(of: number): string {
  return hourAlone.format(new Date(2000, 0, 1, of))
}

/** The time with milliseconds, for a line of the log. */
export function fineTime(at: number): string {
  return fine.format(at)
}
