import { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import { type Received, toleranceMs, verify } from '../../../base/lib/webhook-signature.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import type { Config } from '../../../platform/config/config.ts'
import { type Destination, destinationOf, hostOf } from './destination.ts'

/** The signed body of an answer. It names its question, because the address, which names it too, is not signed. */
const Answer = z.strictObject({
  permissionId: z.string(),
  inputHash: z.string(),
  decision: z.enum(['allow', 'deny']),
  // Rules for more than the session are not accepted from outside: only the owner makes them, in Iris itself.
  scope: z.enum(['once', 'session']).optional(),
  message: z.string().max(2000).optional(),
})
export type ForwardedAnswer = z.infer<typeof Answer>

export interface AnswerOutcome {
  /** With any status other than `answered`, the answer had no effect. */
  readonly status: string
  readonly permission: PermissionView
}

/** The part of the open questions that this folder needs. */
export interface Questions {
  find(permissionId: string): PermissionView | undefined
  answer(answer: ForwardedAnswer, decidedBy: string): Promise<AnswerOutcome>
}

export interface SignedAnswersParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly questions: Questions
  /** Records a refused answer; `permissionId` is undefined when the question is unknown. */
  readonly refused: (permissionId: string | undefined, why: string) => void
}

/**
 * Accepts answers whose only credential is a signature. Each answer counts once, for the question and input that it
 * names.
 */
export class SignedAnswers {
  readonly #parts: SignedAnswersParts
  /** The webhook-ids used before, each with the time until which it is kept. */
  readonly #used = new Map<string, number>()

  constructor(parts: SignedAnswersParts) {
    this.#parts = parts
  }

  /** Rejects with `unauthorized`, or with `invalid_input` for a signed body that is not a valid answer. */
  async take(permissionId: string, received: Received): Promise<AnswerOutcome> {
    const { config, questions } = this.#parts
    const view = questions.find(permissionId)
    const destination = view && destinationOf(config(), view.team)
    if (!destination) throw this.#refusal(view?.permissionId, 'no such question is forwarded')
    this.#verify(permissionId, destination, received)
    const answer = answerIn(received.body)
    if (answer.permissionId !== permissionId || answer.inputHash !== view.inputHash) {
      throw this.#refusal(permissionId, 'it is about another question or another input')
    }
    return questions.answer(answer, `forward:${hostOf(destination)}`)
  }

  #verify(permissionId: string, { secret }: Destination, received: Received): void {
    const now = this.#parts.clock.now()
    const verified = verify(secret, received, now)
    if ('refused' in verified) throw this.#refusal(permissionId, verified.refused)
    for (const [id, until] of this.#used) if (until < now) this.#used.delete(id)
    if (this.#used.has(verified.id)) throw this.#refusal(permissionId, 'its webhook-id was used before')
    // The time in a message may be `toleranceMs` ahead, and the message is valid until `toleranceMs` after that time.
    // Later, `verify` refuses it.
    this.#used.set(verified.id, now + 2 * toleranceMs)
  }

  #refusal(permissionId: string | undefined, why: string): IrisError {
    this.#parts.refused(permissionId, why)
    return new IrisError(
      'unauthorized',
      `Iris does not accept this answer: ${why}.`,
      'Sign permissionId, inputHash and decision as docs/guide/forward.md shows, under a new webhook-id.',
    )
  }
}

function answerIn(body: Uint8Array): ForwardedAnswer {
  try {
    return Answer.parse(JSON.parse(Buffer.from(body).toString()))
  } catch (error) {
    throw new IrisError(
      'invalid_input',
      'The signature is valid, but this answer is not allowed from outside.',
      'Send permissionId, inputHash, decision (allow or deny) and optionally scope (once or session) and message.',
      { cause: error },
    )
  }
}
