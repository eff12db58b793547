import { AsyncLocalStorage } from 'node:async_hooks'

interface Running {
  readonly title: string
  readonly refused: string[]
  isOver: boolean
}

/**
 * What tests tried that their tier does not allow. Files share a process, so a refusal belongs to the test whose code tried it,
 * whichever test runs by then.
 */
export class Refusals {
  readonly #running = new AsyncLocalStorage<Running>()
  readonly #reportLate: (error: Error) => void
  /** By code that no test runs: the imports and the hooks of a file. */
  readonly #outsideTests: Running = { title: '', refused: [], isOver: false }

  constructor(reportLate: (error: Error) => void) {
    this.#reportLate = reportLate
  }

  /** Runs a test, and fails it for a refusal even where the code under test caught that. */
  async during(title: string, runTest: () => Promise<void>): Promise<void> {
    const running: Running = { title, refused: [], isOver: false }
    await this.#running.run(running, async () => {
      await runTest()
      running.isOver = true
      this.failIfAny()
    })
  }

  refuse(what: string): never {
    const { title, refused, isOver } = this.#running.getStore() ?? this.#outsideTests
    if (isOver) this.#reportLate(new Error(`After its end the test "${title}" tried to ${what}.`))
    else refused.push(what)
    throw new Error(`A test of the fast tier must not ${what}.`)
  }

  /** What the running test was refused since this was called last. */
  take(): readonly string[] {
    return (this.#running.getStore() ?? this.#outsideTests).refused.splice(0)
  }

  failIfAny(): void {
    const calls = this.take()
    if (calls.length > 0) throw new Error(`A test of the fast tier must not ${calls.join(', ')}.`)
  }
}
