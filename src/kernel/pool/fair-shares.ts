/**
 * Serves waiting keys in turn, however much each asks for. The key with the lowest place is next, and then moves one
 * place on. A key that has not waited for a while starts at the place of the key served last, so that turns cannot be
 * saved up.
 */
export class FairShares {
  readonly #next = new Map<string, number>()
  #latest = 0

  /** The place of the key's next turn; a lower place is served sooner. */
  placeOf(key: string): number {
    return Math.max(this.#next.get(key) ?? 0, this.#latest)
  }

  /** Records that the key was served. */
  take(key: string): void {
    this.#latest = this.placeOf(key)
    this.#next.set(key, this.#latest + 1)
    for (const [each, place] of this.#next) if (place <= this.#latest) this.#next.delete(each)
  }

  /** The first of `waiting` whose key has the lowest place. Undefined if nothing waits. */
  nextOf<T>(waiting: readonly T[], keyOf: (each: T) => string): T | undefined {
    let next = waiting[0]
    for (const each of waiting) if (this.placeOf(keyOf(each)) < this.placeOf(keyOf(next!))) next = each
    return next
  }
}
