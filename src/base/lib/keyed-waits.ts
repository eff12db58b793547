/** Lets several callers wait for a condition under a key, for example the bridges of one session for its answers. */
export class KeyedWaits {
  readonly #waiting = new Map<string, Set<() => void>>()

  /**
   * Resolves when `isReady` returns true or the signal aborts. Calls `isReady` now and after each `wake` of the key.
   */
  async until(key: string, isReady: () => boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !isReady()) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const resolvers = this.#waiting.get(key) ?? new Set()
      this.#waiting.set(key, resolvers.add(resolve))
      signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      resolvers.delete(resolve)
      if (resolvers.size === 0) this.#waiting.delete(key)
    }
  }

  /** Lets waiting callers check `isReady` again, under this key or under each key for which `isMeant` returns true. */
  wake(isMeant: string | ((key: string) => boolean)): void {
    for (const [key, resolvers] of this.#waiting) {
      if (typeof isMeant === 'string' ? key === isMeant : isMeant(key)) for (const resolve of resolvers) resolve()
    }
  }
}
