import type { Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/**
 * Keeps questions of a process that an earlier Iris may already have answered. The CLI echoes each answer that reaches
 * it, so a question without an echo is unanswered. If Iris handled a question twice, one of its tools could take effect
 * twice.
 */
export class HeldQuestions {
  #questions: Map<string, Line> | undefined = new Map()

  /** Keeps a question and returns true; an echoed answer or a cancellation removes the question. */
  take(line: Line): boolean {
    if (this.#questions === undefined) return false
    if (line.type === 'control_request') this.#questions.set(String(line['request_id']), line)
    else if (line.type === 'control_cancel_request') this.#questions.delete(String(line['request_id']))
    else if (isRecord(line['response'])) this.#questions.delete(String(line['response']['request_id']))
    return line.type === 'control_request'
  }

  /** Returns the unanswered questions in order. From now on, `take` keeps nothing. */
  release(): readonly Line[] {
    const open = [...(this.#questions?.values() ?? [])]
    this.#questions = undefined
    return open
  }
}
