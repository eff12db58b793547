import { isDeepStrictEqual } from 'node:util'

/** The CLI answers within 25 ms when it is not at work. */
const patienceMs = 10_000

/** In Claude Code's syntax, as it reads it. Nothing to allow asks for nothing either. */
export interface PermissionLists {
  readonly allow: readonly string[]
  /** Asked about though a rule allows it. */
  readonly ask: readonly string[]
}

/** Puts settings above all that the CLI has from files and from its command line. Rejects when it does not take them. */
type ApplySettings = (settings: Readonly<Record<string, unknown>>, timeoutMs: number) => Promise<unknown>

/**
 * The rules that a living CLI has from Iris. The CLI judges by them, with all its own checks. They are handed over as a
 * whole: what the next lists lack is withdrawn. None of them is on the command line, since what is there cannot be
 * withdrawn.
 */
export class HandedRules {
  readonly #apply: ApplySettings
  #lists: PermissionLists = { allow: [], ask: [] }
  #isNew = true
  #isStale = false
  #pending: Promise<unknown> | undefined

  constructor(apply: ApplySettings) {
    this.#apply = apply
  }

  /** The CLI has not taken a change: it may allow what no rule allows any more. */
  get isStale(): boolean {
    return this.#isStale
  }

  /**
   * Gives the CLI these lists in place of those before. Resolves with why it has not taken them, if so: at its start it
   * then has none, later it is stale.
   */
  async hand(lists: PermissionLists): Promise<string | undefined> {
    const isNew = this.#isNew
    this.#isNew = false
    if (isDeepStrictEqual(lists, this.#lists)) return undefined
    this.#lists = lists
    const taken = this.#apply({ permissions: lists }, patienceMs).then(
      () => undefined,
      (error: unknown) => {
        this.#isStale ||= !isNew
        return String(error)
      },
    )
    const pending = Promise.all([this.#pending, taken])
    this.#pending = pending
    const [, why] = await pending
    if (this.#pending === pending) this.#pending = undefined
    return why
  }

  /** Whether the CLI judges a tool by the rules in force; waits for those that are on their way. */
  async inForce(): Promise<boolean> {
    while (this.#pending) await this.#pending
    return !this.#isStale
  }
}
