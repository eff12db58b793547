import type { Family, Labels } from './exposition.ts'

/** Sums that only grow, one for each set of labels. Never use ids as labels: their number has no bound. */
export class Counter<Name extends string = string> {
  readonly #about: Pick<Family, 'name' | 'help'>
  readonly #sums = new Map<string, { readonly labels: Labels; sum: number }>()

  constructor(name: string, help: string) {
    this.#about = { name, help }
  }

  add(labels: Readonly<Record<Name, string>>, by = 1): void {
    const key = Object.values(labels).join('\0')
    const found = this.#sums.get(key)
    if (found) found.sum += by
    else this.#sums.set(key, { labels, sum: by })
  }

  get family(): Family {
    return {
      ...this.#about,
      type: 'counter',
      samples: [...this.#sums.values()].map(({ labels, sum }) => ({ labels, value: sum })),
    }
  }
}
