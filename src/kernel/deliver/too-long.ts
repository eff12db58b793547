import { roleOfThread } from '../../base/protocol/role.ts'
import { isTooLong } from '../../claude/driver/endings.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Plan } from '../recover/recovery.ts'
import type { Session } from '../session/session.ts'
import type { Turn } from '../turn/turn.ts'
import type { Verdict } from '../turn/verdict.ts'
import type { ContextMaintenance } from './context-maintenance.ts'
import type { Judged } from './delivery-verdict.ts'

/**
 * A message up to this length cannot fill a model's context window: it takes about a twentieth of the smallest window.
 */
const maxShortMessageCharacters = 40_000

/**
 * Handles a turn whose conversation the model's API finds too long. A refused message stays in the conversation, so the
 * API would refuse every later message too, however short. The conversation is compacted once, then replaced once.
 */
export class TooLong {
  readonly #turn: Turn
  readonly #session: Session
  readonly #parts: OrchestratorParts
  readonly #maintenance: ContextMaintenance
  readonly #recover: () => Promise<Plan>
  #isCompacted = false
  #isReplaced = false

  /** `recover` decides, from the conversation and the ledger, how the turn continues. */
  constructor(
    turn: Turn,
    session: Session,
    parts: OrchestratorParts,
    maintenance: ContextMaintenance,
    recover: () => Promise<Plan>,
  ) {
    this.#turn = turn
    this.#session = session
    this.#parts = parts
    this.#maintenance = maintenance
    this.#recover = recover
  }

  /** How the turn continues after a delivery that was refused as too long. Undefined for other deliveries. */
  async after(end: Judged, verdict: Verdict): Promise<Plan | undefined> {
    const turn = this.#turn
    if (end.kind !== 'result' || !isTooLong(end.result) || turn.cancelled.aborted) return undefined
    if (this.#session.row.status === 'archived') return undefined
    const hasPast = this.#session.hasPast
    if (!this.#isCompacted && hasPast) {
      this.#isCompacted = true
      if (await this.#maintenance.compactRefused(turn.cancelled)) return this.#again(verdict)
    }
    if (!this.#isReplaced) {
      this.#isReplaced = await this.#maintenance.leaveRefused()
      if (this.#isReplaced) return this.#recovered(verdict)
    }
    const advice = this.#advice()
    // Replaces the conversation, so that the next message gets one without this message.
    await this.#maintenance.leaveRefused()
    return { kind: 'settle', verdict: { ...verdict, detail: `${verdict.detail} ${advice}` } }
  }

  /**
   * Claude Code does not process a message again if its uuid is already in the conversation, so the message gets another
   * uuid.
   */
  async #again(verdict: Verdict): Promise<Plan> {
    if (!this.#hasTools) return { kind: 'deliver', why: 'continue', uuid: this.#parts.newId(), text: undefined }
    await this.#parts.pool.stop(this.#session, 'its conversation was compacted in the middle of a turn', 'busy')
    return this.#recovered(verdict)
  }

  async #recovered(verdict: Verdict): Promise<Plan> {
    const plan = await this.#recover()
    return plan.kind === 'deliver' ? plan : { ...plan, verdict: { ...plan.verdict, usage: verdict.usage } }
  }

  get #hasTools(): boolean {
    return this.#parts.ledger.toolStarts.of([this.#turn.id]).length > 0
  }

  #advice(): string {
    const { message, attachments } = this.#turn.facts
    if (!this.#isReplaced)
      return `(The conversation is longer than the model can read at once. Iris did not replace it, because a background task is still running in it. To start a new one, run ${this.#reboot}.)`
    if (this.#hasTools)
      return '(The work on this message needs more than the model can read at once, even in a new conversation. Ask for it in smaller steps.)'
    if (message.length >= maxShortMessageCharacters || attachments)
      return '(The message is longer than the model can read at once. Put it into a file of the project and name the file.)'
    return `(The conversation is longer than the model can read at once, and so is a new one with a summary. To start one without a summary, run ${this.#reboot}. If that is refused too, shorten the project's CLAUDE.md or give it fewer tools.)`
  }

  get #reboot(): string {
    const { from, to, thread } = this.#session
    const isMain = thread === 'main' || roleOfThread(thread) !== undefined
    return `iris reboot ${from} ${to}${isMain ? '' : ` --thread ${thread}`}`
  }
}
