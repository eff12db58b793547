import { isRecord } from '../../base/lib/is-record.ts'
import type { Line } from './line.ts'

/**
 * Questions of a process that a former Iris may have answered already. The CLI repeats each answer that reaches it, so what it
 * has not repeated was never answered. Asked twice, a tool of Iris's would have its effect twice.
 */
export class HeldQuestions {
  #questions: Map<string, Line> | undefined = new Map()

  /** True for a question, which is kept. */
  take(line: Line): boolean {
    if (this.#questions === undefined) return false
    if (line.type === 'control_request') this.#questions.set(String(line['request_id']), line)
    else if (line.type === 'control_cancel_request') this.#questions.delete(String(line['request_id']))
    else if (isRecord(line['response'])) this.#questions.delete(String(line['response']['request_id']))
    return line.type === 'control_request'
  }

  /** What was not answered, in its order; from now on nothing is kept. */
  release(): readonly Line[] {
    const open = [...(this.#questions?.values() ?? [])]
    this.#questions = undefined
    return open
  }
}
