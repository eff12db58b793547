import { type Deferred, deferred } from '../../src/base/lib/deferred.ts'
import type { Voice } from './voice.ts'

/** The host ended our input: whatever is asked of it, no answer will come. */
export class HostGone extends Error {}
/** We took the question back. */
export class Withdrawn extends Error {}
/** The host answered with an error. */
export class HostError extends Error {}

interface ControlResponse {
  readonly subtype?: string
  readonly request_id?: string
  readonly response?: unknown
  readonly error?: unknown
}

interface Question {
  readonly answer: Deferred<Record<string, unknown>>
  /** How to tell the host that it is no longer asked. */
  readonly withdraw: () => void
}

/** Control requests from us to the host, over stdout, and their answers. */
export class Host {
  readonly #voice: Voice
  readonly #newId: () => string
  readonly #open = new Map<string, Question>()
  #gone = false

  constructor(voice: Voice, newId: () => string) {
    this.#voice = voice
    this.#newId = newId
  }

  /** Rejects with HostGone, Withdrawn or HostError. */
  ask(request: Record<string, unknown>, withdraw?: () => void): Promise<Record<string, unknown>> {
    const id = this.#newId()
    const answer = deferred<Record<string, unknown>>()
    this.#voice.line({ type: 'control_request', request_id: id, request })
    const cancel = () => this.#voice.line({ type: 'control_cancel_request', request_id: id })
    if (this.#gone) answer.reject(new HostGone())
    else this.#open.set(id, { answer, withdraw: withdraw ?? cancel })
    return answer.promise
  }

  answered(response: ControlResponse): void {
    const question = this.#open.get(response.request_id ?? '')
    if (question === undefined) return
    this.#open.delete(response.request_id ?? '')
    if (response.subtype === 'error') question.answer.reject(new HostError(String(response.error)))
    else question.answer.resolve((response.response ?? {}) as Record<string, unknown>)
  }

  /** Our input has ended. */
  close(): void {
    this.#gone = true
    for (const { answer } of this.#takeAll()) answer.reject(new HostGone())
  }

  /** Takes back whatever is open, as an interrupt does. Taking back may itself ask something: that stays open. */
  withdrawAll(): void {
    for (const { answer, withdraw } of this.#takeAll()) {
      withdraw()
      answer.reject(new Withdrawn())
    }
  }

  #takeAll(): Question[] {
    const questions = [...this.#open.values()]
    this.#open.clear()
    return questions
  }
}
