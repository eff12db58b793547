const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** `850 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`, `4 d 1 h`: two units at the most. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const at = units.findIndex(([, length]) => ms >= length)
  const [[big, length], next] = [units[at]!, units[at + 1]]
  const whole = Math.floor(ms / length)
  const rest = next ? Math.floor((ms - whole * length) / next[1]) : 0
  return rest === 0 ? `${whole} ${big}` : `${whole} ${big} ${rest} ${next![0]}`
}

/** `640 B`, `1.4 MiB` */
export function bytes(count: number): string {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = count < 1 ? 0 : Math.min(Math.floor(Math.log2(count) / 10), names.length - 1)
  const value = count / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${names[step]}`
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en')

/** `12.4K`: for tokens and other figures whose last digits say nothing. */
export function compact(count: number): string {
  return short.format(count)
}

/** `12,431` */
export function exact(count: number): string {
  return whole.format(count)
}

/** US dollars: `$0.0042`, `$1.25` */
export function cost(usd: number): string {
  return `$${usd !== 0 && usd < 0.1 ? usd.toFixed(4) : usd.toFixed(2)}`
}

/** 0 to 1: `37 %` */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
