import { KeyedWaits } from '../../base/lib/keyed-waits.ts'
import type { PermissionView } from '../../base/protocol/permission-view.ts'

/**
 * The unanswered messages of people's open sessions, by the name that each bridge gives its session. Permission
 * requests to which these messages lead appear in the session. A restarted daemon knows only the messages whose calls
 * are repeated.
 */
export class AskingSessions {
  readonly #asked = new Map<string, Set<string>>()
  readonly #waits = new KeyedWaits()
  #changes = 0

  /**
   * Notes that this message came from the session. Returns a function that undoes this, as the turn's end does
   * (`ended`).
   */
  asks(console: string | undefined, turnId: string): () => void {
    if (console === undefined) return () => {}
    this.#asked.set(turnId, (this.#asked.get(turnId) ?? new Set()).add(console))
    this.changed()
    return () => this.ended(turnId)
  }

  ended(turnId: string): void {
    if (this.#asked.delete(turnId)) this.changed()
  }

  /** Whether a message of this session led to the question. */
  isBelow({ turnId, rootTurnId }: Pick<PermissionView, 'turnId' | 'rootTurnId'>, console: string): boolean {
    return [turnId, rootTurnId].some((id) => id !== null && this.#asked.get(id)?.has(console) === true)
  }

  /** Called when questions, settings or asks have changed: all bridges look again. */
  changed(): void {
    this.#changes += 1
    this.#waits.wake(() => true)
  }

  /**
   * Calls `look` now and after each change, and resolves to the first result that it returns. Resolves to undefined
   * when aborted.
   */
  async until<Found>(look: () => Promise<Found | undefined>, signal: AbortSignal): Promise<Found | undefined> {
    while (!signal.aborted) {
      const seen = this.#changes
      const found = await look()
      if (found !== undefined) return found
      await this.#waits.until('', () => this.#changes !== seen, signal)
    }
    return undefined
  }
}
