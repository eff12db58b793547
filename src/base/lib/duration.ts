const unitMs: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration in milliseconds, from `30s`, `5m`, `2h`, `1d`, `500ms` or bare milliseconds; NaN for anything else. */
export function durationIn(text: string): number {
  const [, count = '', unit = ''] = /^(-?\d+(?:\.\d+)?)(ms|s|m|h|d|)$/.exec(text.trim()) ?? []
  return count === '' ? Number.NaN : Math.round(Number(count) * unitMs[unit]!)
}

/** Converts a text with a unit to milliseconds; returns anything else unchanged. */
export function withoutUnit(value: unknown): unknown {
  if (typeof value !== 'string' || !/[a-z]\s*$/.test(value)) return value
  const ms = durationIn(value)
  return Number.isNaN(ms) ? value : ms
}

/** `120 ms` below a second, otherwise `1.2 s`. */
export function secondsText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
