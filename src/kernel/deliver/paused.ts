import { goingOn } from '../recover/own-text.ts'
import type { OrchestratorParts } from '../recover/parts.ts'
import type { Plan, Recovery } from '../recover/recovery.ts'
import type { Session } from '../session/session.ts'
import type { Turn } from '../turn/turn.ts'
import { nothingPaused, type PausedSpeech, pausedAfter, type Verdict, withPaused } from '../turn/verdict.ts'
import type { Judged } from './delivery-verdict.ts'

/**
 * Handles a turn whose reply the API pauses in the middle. Iris asks the agent once to continue. The text before and
 * after that request is the answer.
 */
export class Paused {
  readonly #turn: Turn
  readonly #session: Session
  readonly #newId: OrchestratorParts['newId']
  readonly #recovery: Recovery
  /**
   * The text of the turn's paused replies. Undefined while it is unknown: an earlier daemon may have seen paused
   * replies.
   */
  #said: PausedSpeech | undefined
  #wasAsked = false

  constructor(turn: Turn, session: Session, { newId }: Pick<OrchestratorParts, 'newId'>, recovery: Recovery) {
    this.#turn = turn
    this.#session = session
    this.#newId = newId
    this.#recovery = recovery
    this.#said = turn.takenUp ? undefined : nothingPaused
  }

  /** The verdict on a delivery, including the text of paused replies before it. */
  async whole(verdict: Verdict): Promise<Verdict> {
    return withPaused(await this.#before(), verdict)
  }

  /** How the turn continues after a delivery whose reply was paused. Undefined if it does not continue. */
  async after(end: Judged, { reason }: Verdict): Promise<Plan | undefined> {
    if (end.kind !== 'result' || reason !== 'paused' || this.#turn.cancelled.aborted) return undefined
    const before = await this.#before()
    if (this.#wasAsked) return undefined
    this.#wasAsked = true
    this.#said = pausedAfter(before, end.result)
    return { kind: 'deliver', why: 'continue', uuid: this.#newId(), text: goingOn(this.#turn, this.#session) }
  }

  async #before(): Promise<PausedSpeech> {
    if (this.#said === undefined) {
      const said = await this.#recovery.pausedSoFar(this.#turn)
      this.#said = said ?? nothingPaused
      this.#wasAsked = said !== undefined
    }
    return this.#said
  }
}
