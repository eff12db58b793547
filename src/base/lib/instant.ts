const iso = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/

/**
 * Converts a time in ISO 8601 to milliseconds since the epoch; NaN for anything else. Without a zone, the time is in
 * this machine's time zone. A date alone is the start of that day.
 */
export function instantIn(text: string): number {
  const [, date, time = 'T00:00'] = iso.exec(text) ?? []
  const ms = date === undefined ? Number.NaN : Date.parse(date + time)
  // `Date.parse` turns 30 February into 2 March.
  return date === undefined || isDay(date) ? ms : Number.NaN
}

function isDay(date: string): boolean {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Converts a moment, given in milliseconds since the epoch or in ISO 8601, to milliseconds; NaN for any other text. */
export function millisecondsOf(given: number | string): number {
  return typeof given === 'number' ? given : instantIn(given)
}
