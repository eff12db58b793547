/** Runs what is to be said of each key: one at a time, and once more at the end if it changed meanwhile. */
export class Latest {
  readonly #running = new Map<string, { isStale: boolean }>()

  /** `run` says what holds when it begins. */
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
