/** Waits of several callers for something under a key, such as the bridges of a session for news. */
export class KeyedWaits {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Resolves once `isReady` says so, which it is asked now and after each `wake`, or when the signal aborts. */
  async until(key: string, isReady: () => boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !isReady()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const known = this.#waiting.get(key) ?? new Set()
      this.#waiting.set(key, known.add(resolve))
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      known.delete(resolve)
      if (known.size === 0) this.#waiting.delete(key)
    }
  }

  /** Has those who wait look again: with this key, or all for whose key `isMeant` is true. */
  wake(isMeant: string | ((key: string) => boolean)): void {
    for (const [key, waits] of this.#waiting) {
      if (typeof isMeant === 'string' ? key === isMeant : isMeant(key)) for (const wake of waits) wake()
    }
  }
}
