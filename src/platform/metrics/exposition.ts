export type Labels = Readonly<Record<string, string>>

export interface Sample {
  /** The suffix of the metric's name: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

/** One Prometheus metric. Names and units follow Prometheus's conventions: base units, `_total` for counters. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** Prometheus's text format, version 0.0.4. */
export function exposition(families: readonly Family[]): string {
  return families.map(familyText).join('')
}

/** A metric whose value is read at each scrape. */
export function gauge(name: string, help: string, value: number | readonly Sample[]): Family {
  return { name, help, type: 'gauge', samples: typeof value === 'number' ? [{ value }] : value }
}

function familyText({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ suffix = '', labels, value }) => `${name}${suffix}${labelText(labels)} ${number(value)}\n`,
  )
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function labelText(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

export function number(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (Number.isFinite(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}
