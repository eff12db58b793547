import type { Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/**
 * Holds questions of a process that a former Iris may have answered already. The CLI echoes each answer that reaches
 * it, so a question without an echo has no answer. If Iris handled a question twice, a tool of Iris could take effect
 * twice.
 */
export class HeldQuestions {
  #questions: Map<string, Line> | undefined = new Map()

  /** Holds a question and returns true; an echoed answer or a cancellation removes its question. */
  take(line: Line): boolean {
    if (this.#questions === undefined) return false
    if (line.type === 'control_request') this.#questions.set(String(line['request_id']), line)
    else if (line.type === 'control_cancel_request') this.#questions.delete(String(line['request_id']))
    else if (isRecord(line['response'])) this.#questions.delete(String(line['response']['request_id']))
    return line.type === 'control_request'
  }

  /** The unanswered questions, in order. From now on, `take` holds nothing. */
  release(): readonly Line[] {
    const open = [...(this.#questions?.values() ?? [])]
    this.#questions = undefined
    return open
  }
}
