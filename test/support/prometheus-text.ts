/** One line of samples, read strictly. */
export interface ReadSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ReadFamily {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: readonly ReadSample[]
}

const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/y
const numeric = /^(?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/
const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
}

/** Prometheus's text format 0.0.4, read as strictly as its description allows: throws at the first line that is not right. */
export function readPrometheusText(text: string): Map<string, ReadFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, ReadFamily & { samples: ReadSample[] }>()
  let open: (ReadFamily & { samples: ReadSample[] }) | undefined
  let help: { name: string; help: string } | undefined
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') {
      if (families.has(name) || help) throw new Error(`a second HELP of ${name}`)
      help = { name, help: unescaped(rest, /\\[\\n]/g) }
    } else if (kind === 'TYPE') {
      if (help?.name !== name || suffixes[rest] === undefined) throw new Error(`TYPE without HELP: ${line}`)
      open = { ...help, type: rest, samples: [] }
      families.set(name, open)
      help = undefined
    } else {
      if (open === undefined || help) throw new Error(`a sample without a family: ${line}`)
      open.samples.push(sampleOf(line, open))
    }
  }
  for (const family of families.values()) checkFamily(family)
  return families
}

function sampleOf(line: string, { name: family, type }: ReadFamily): ReadSample {
  const [, name, labels, value] = sampleLine.exec(line) ?? []
  if (name === undefined || !numeric.test(value!)) throw new Error(`not a sample: ${line}`)
  if (!suffixes[type]!.some((suffix) => name === family + suffix)) throw new Error(`${name} is not of ${family}`)
  return { name, labels: labelsOf(labels, line), value: Number(value!.replace('Inf', 'Infinity')) }
}

function labelsOf(text: string | undefined, line: string): Record<string, string> {
  const labels = new Map<string, string>()
  labelPair.lastIndex = 0
  while (text !== undefined && labelPair.lastIndex < text.length) {
    const found = labelPair.exec(text)
    if (found === null || labels.has(found[1]!)) throw new Error(`labels are not right: ${line}`)
    labels.set(found[1]!, unescaped(found[2]!, /\\[\\"n]/g))
  }
  return Object.fromEntries(labels)
}

function unescaped(text: string, escapes: RegExp): string {
  return text.replaceAll(escapes, (escape) => (escape === '\\n' ? '\n' : escape[1]!))
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}

function checkFamily({ name, type, samples }: ReadFamily): void {
  const keys = samples.map(
    (each) => each.name + JSON.stringify(Object.entries(each.labels).map(String).toSorted(byText)),
  )
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a sample twice`)
  if (type === 'counter' && samples.some(({ value }) => value < 0)) throw new Error(`${name} is negative`)
  if (type === 'histogram') checkHistogram(name, samples)
}

/** Buckets rise and end with +Inf, which is the count. */
function checkHistogram(name: string, samples: readonly ReadSample[]): void {
  const series = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: undefined }))
  for (const each of series.values()) {
    const buckets = each.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => Number(labels['le']!.replace('Inf', 'Infinity')))
    const isRising = (numbers: readonly number[], strictly: boolean): boolean =>
      numbers.every(
        (value, index) => index === 0 || (strictly ? value > numbers[index - 1]! : value >= numbers[index - 1]!),
      )
    const counts = buckets.map(({ value }) => value)
    const [count, sum] = ['_count', '_sum'].map((suffix) => each.filter((sample) => sample.name === name + suffix))
    const isWhole = count!.length === 1 && sum!.length === 1 && count![0]!.value === counts.at(-1)
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || !isRising(bounds, true) || !isRising(counts, false) || !isWhole) {
      throw new Error(`the histogram ${name} does not add up`)
    }
  }
}
