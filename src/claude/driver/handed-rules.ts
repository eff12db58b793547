import { isDeepStrictEqual } from 'node:util'
import type { PermissionLists } from '../../base/agent/permission-lists.ts'

/** An idle CLI answers within 25 ms. */
const patienceMs = 10_000

/** The rules of a new process. */
const none: PermissionLists = { allow: [], ask: [], deny: [], skillCommands: true }

/** Applies settings on top of all files and command-line flags. Rejects if the CLI refuses them. */
type ApplySettings = (settings: Readonly<Record<string, unknown>>, timeoutMs: number) => Promise<unknown>

/**
 * The rules that Iris hands to a running CLI, which applies them with its own checks. Each handover replaces all rules
 * of the previous one. No rule is on the command line, because Iris could not withdraw it there.
 */
export class HandedRules {
  readonly #apply: ApplySettings
  #lists = none
  #isNew = true
  #isStale = false
  #areKnown = true
  #pending: Promise<unknown> | undefined

  constructor(apply: ApplySettings) {
    this.#apply = apply
  }

  /** Whether the CLI did not accept a change. It may then still allow tools that no rule allows any more. */
  get isStale(): boolean {
    return this.#isStale
  }

  /**
   * Call this if an earlier Iris started the process. It may have given the process other rules, so the next lists
   * always replace them.
   */
  areUnknown(): void {
    this.#areKnown = false
    this.#isNew = false
  }

  /** The lists of the last handover, without the allow rules. */
  get strictest(): PermissionLists {
    return { ...this.#lists, allow: [], ask: [] }
  }

  /**
   * Replaces the CLI's lists. Resolves with an error text if the CLI refuses them. The CLI then has no rules if this
   * was the first handover, and otherwise outdated ones.
   */
  async hand(lists: PermissionLists): Promise<string | undefined> {
    const isNew = this.#isNew
    this.#isNew = false
    if (this.#areKnown && isDeepStrictEqual(lists, this.#lists)) return undefined
    this.#areKnown = true
    this.#lists = lists
    const taken = this.#apply(settingsOf(lists), patienceMs).then(
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

  /** Whether the CLI applies the current rules; waits for pending handovers. */
  async inForce(): Promise<boolean> {
    while (this.#pending) await this.#pending
    return !this.#isStale
  }
}

/** With null, other settings decide again, such as the person's. */
function settingsOf({ skillCommands, ...permissions }: PermissionLists): Readonly<Record<string, unknown>> {
  return { permissions, disableSkillShellExecution: skillCommands ? null : true }
}
