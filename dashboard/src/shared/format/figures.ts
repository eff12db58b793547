/** Figures as the language of the browser writes them. */

import { formatOf, inUnit } from './durations.ts'

const exactly = new Intl.NumberFormat()
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const tenths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const share = new Intl.NumberFormat(undefined, { style: 'percent' })

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

/** A share from 0 to 1, as `37%` */
export function percent(part: number): string {
  return share.format(part)
}

function fixed(digits: number): Intl.NumberFormatOptions {
  return { minimumFractionDigits: digits, maximumFractionDigits: digits }
}
