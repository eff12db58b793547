/** Figures as the language of the browser writes them. */

const exactly = new Intl.NumberFormat()
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const tenths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const share = new Intl.NumberFormat(undefined, { style: 'percent' })
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

/** As `duration`, in whole seconds below two minutes and in whole minutes above: what a person needs of a deadline. */
export function timeLeft(ms: number): string {
  const unit = ms < 120_000 ? 1000 : 60_000
  return duration((unit === 1000 ? Math.ceil : Math.floor)(ms / unit) * unit)
}

/** `640 B`, `1.4 MiB`: Intl knows no units of 1024, whose signs are the same in all languages. */
export function bytes(count: number): string {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = count < 1 ? 0 : Math.min(Math.floor(Math.log2(count) / 10), names.length - 1)
  const value = count / 1024 ** step
  return `${step === 0 || value >= 100 ? exact(Math.round(value)) : decimal(value)} ${names[step]}`
}

/** The size of a file: `812 bytes`, `12 kB`, `1.4 MB`. */
export function fileSize(count: number): string {
  if (count < 1000) return inUnit('byte', count, 0, 'long')
  return count < 1_000_000 ? inUnit('kilobyte', count / 1000) : inUnit('megabyte', count / 1_000_000, 1)
}

/** `12.4K`: for tokens and other figures whose last digits say nothing. */
export function compact(count: number): string {
  return short.format(count)
}

/** `12,431` */
export function exact(count: number): string {
  return exactly.format(count)
}

/** `2.0`, `3.7` */
export function decimal(value: number): string {
  return tenths.format(value)
}

/** US dollars: `$0.0042`, `$1.25` */
export function cost(usd: number): string {
  const digits = usd !== 0 && usd < 0.1 ? 4 : 2
  return formatOf({ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...fixed(digits) }).format(usd)
}

/** 0 to 1: `37%` */
export function percent(part: number): string {
  return share.format(part)
}

function inUnit(unit: string, value: number, digits = 0, unitDisplay: 'short' | 'long' = 'short'): string {
  return formatOf({ style: 'unit', unit, unitDisplay, maximumFractionDigits: digits }).format(value)
}

function fixed(digits: number): Intl.NumberFormatOptions {
  return { minimumFractionDigits: digits, maximumFractionDigits: digits }
}

/** A format takes a hundred times as long to make as to use. */
const formats = new Map<string, Intl.NumberFormat>()

function formatOf(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = JSON.stringify(options)
  const format = formats.get(key) ?? new Intl.NumberFormat(undefined, options)
  formats.set(key, format)
  return format
}
