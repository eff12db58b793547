import { type Family, type Labels, number, type Sample } from './exposition.ts'

/** A histogram of durations in seconds, with one series for each set of labels. */
export class Histogram<Name extends string = never> {
  readonly #about: Pick<Family, 'name' | 'help'>
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, Series>()

  /** `bounds`: the upper ends of the buckets, ascending. */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#about = { name, help }
    this.#bounds = bounds
  }

  /** The series for these labels. Callers that observe often should keep the series. */
  series(labels: Readonly<Record<Name, string>>): Series {
    const key = Object.values(labels).join('\0')
    const found = this.#series.get(key) ?? new Series(labels, this.#bounds)
    this.#series.set(key, found)
    return found
  }

  get family(): Family {
    return { ...this.#about, type: 'histogram', samples: [...this.#series.values()].flatMap(({ samples }) => samples) }
  }
}

class Series {
  readonly #labels: Labels
  readonly #bounds: readonly number[]
  /** The count of each bucket, not cumulative. The last bucket is for values above all bounds. */
  readonly #buckets: number[]
  #sum = 0

  constructor(labels: Labels, bounds: readonly number[]) {
    this.#labels = labels
    this.#bounds = bounds
    this.#buckets = [...bounds.map(() => 0), 0]
  }

  observe(seconds: number): void {
    let bucket = 0
    while (seconds > this.#bounds[bucket]!) bucket += 1
    this.#buckets[bucket]! += 1
    this.#sum += seconds
  }

  get samples(): Sample[] {
    let count = 0
    const samples = this.#buckets.map((each, index): Sample => {
      count += each
      const le = number(this.#bounds[index] ?? Number.POSITIVE_INFINITY)
      return { suffix: '_bucket', labels: { ...this.#labels, le }, value: count }
    })
    const labels = this.#labels
    return [...samples, { suffix: '_sum', labels, value: this.#sum }, { suffix: '_count', labels, value: count }]
  }
}
