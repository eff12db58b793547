import { isRecord } from '../../base/lib/is-record.ts'
import { blocks, type Line, textOf } from './line.ts'

/**
 * Which reports of what ran in the background a transcript still owes its turn. As long as one is due, what the model
 * said is not the answer.
 */
export class ReportsDue {
  readonly #due = new Set<string>()
  /** Tool uses by the id that the CLI gave their tasks. */
  readonly #toolUses = new Map<string, string>()
  #any: boolean

  /** `open`: tool uses that the ledger knows to be open. */
  constructor(open: readonly string[]) {
    for (const toolUseId of open) this.#due.add(toolUseId)
    this.#any = open.length > 0
  }

  /** There was something to report, made by now or not. */
  get any(): boolean {
    return this.#any
  }

  get due(): readonly string[] {
    return [...this.#due]
  }

  /** What came back of tools: a launch, or all there was to say. */
  takeResults(line: Line): void {
    const outcome = isRecord(line['toolUseResult']) ? line['toolUseResult'] : {}
    const isLaunch = launches(outcome)
    for (const { type, tool_use_id: toolUseId, is_error: isError } of blocks(line)) {
      if (type !== 'tool_result' || typeof toolUseId !== 'string') continue
      if (isLaunch) {
        this.#any = true
        this.#due.add(toolUseId)
        this.#toolUses.set(String(outcome['agentId'] ?? outcome['taskId']), toolUseId)
      } else if (outcome['status'] === 'completed' || isError === true) this.#due.delete(toolUseId)
    }
  }

  /** The CLI tells the model of a task; only of its end there is a status. */
  takeNews(line: Line): void {
    const text = textOf(line)
    if (!text.includes('<status>')) return
    for (const [, id = ''] of text.matchAll(/<tool-use-id>([^<]+)<\/tool-use-id>/g)) this.#due.delete(id)
    for (const [, id = ''] of text.matchAll(/<task-id>([^<]+)<\/task-id>/g))
      this.#due.delete(this.#toolUses.get(id) ?? '')
  }
}

/** An agent or a workflow says that it was launched; a Monitor says only how long it watches. */
function launches({ isAsync, status, taskId, timeoutMs }: Readonly<Record<string, unknown>>): boolean {
  return isAsync === true || status === 'async_launched' || (typeof taskId === 'string' && timeoutMs !== undefined)
}

/** What the CLI tells the model of a task in the background, as the beginning of a turn of its own. */
export function isTaskNews(line: Line): boolean {
  return line.type === 'user' && textOf(line).startsWith('<task-notification>')
}
