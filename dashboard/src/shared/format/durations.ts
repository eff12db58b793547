/** Durations in the language of the browser, and the formats that the other figures use. */

const together = new Intl.ListFormat(undefined, { type: 'unit', style: 'narrow' })

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['millisecond', 1],
] as const

/** `4.2 ms`, `850 ms`, `12.4 sec`, `3 min 20 sec`, `2 hr 5 min`, `4 days 1 hr`: two units at the most. */
export function duration(ms: number): string {
  if (ms < 1000) return inUnit('millisecond', ms, ms < 10 ? 1 : 0)
  if (ms < 60_000) return inUnit('second', ms / 1000, ms < 10_000 ? 1 : 0)
  const at = units.findIndex(([, length]) => ms >= length)
  const [[big, length], [small, part]] = [units[at]!, units[at + 1]!]
  const whole = Math.floor(ms / length)
  const rest = Math.floor((ms - whole * length) / part)
  return together.format([inUnit(big, whole), ...(rest === 0 ? [] : [inUnit(small, rest)])])
}

/** As `duration`, in whole seconds below two minutes and in whole minutes above: exact enough for a deadline. */
export function timeLeft(ms: number): string {
  const unit = ms < 120_000 ? 1000 : 60_000
  return duration((unit === 1000 ? Math.ceil : Math.floor)(ms / unit) * unit)
}

/** `4.2 ms`, `12 kB`: the unit is one of `Intl.NumberFormat`. */
export function inUnit(unit: string, value: number, digits = 0, unitDisplay: 'short' | 'long' = 'short'): string {
  return formatOf({ style: 'unit', unit, unitDisplay, maximumFractionDigits: digits }).format(value)
}

/** A format takes a hundred times as long to make as to use. */
const formats = new Map<string, Intl.NumberFormat>()

export function formatOf(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options)
  const format = formats.get(key) ?? new Intl.NumberFormat(undefined, options)
  formats.set(key, format)
  return format
}
