/**
 * Runs one update at a time for each key. If `say` is called again for that key meanwhile, runs one more update at the
 * end.
 */
export class Latest {
  readonly #running = new Map<string, { isStale: boolean }>()

  /** `run` must report the state at the time when it begins. */
  say(key: string, run: () => Promise<void>): void {
    const running = this.#running.get(key)
    if (running) running.isStale = true
    else void this.#run(key, run)
  }

  async #run(key: string, run: () => Promise<void>): Promise<void> {
    const state = { isStale: true }
    this.#running.set(key, state)
    while (state.isStale) {
      state.isStale = false
      await run()
    }
    this.#running.delete(key)
  }
}
