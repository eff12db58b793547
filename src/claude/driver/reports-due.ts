import { blocks, type Line, textOf } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/**
 * Tracks, from a transcript's lines, which background tasks of a turn have not reported yet. While a report is due, the
 * model's text is not the whole answer.
 */
export class ReportsDue {
  readonly #due = new Set<string>()
  /** From the id of a task to the tool use that started it. */
  readonly #toolUses = new Map<string, string>()
  #any: boolean

  /** `open`: ids of tool uses that are open according to the ledger. */
  constructor(open: readonly string[]) {
    for (const toolUseId of open) this.#due.add(toolUseId)
    this.#any = open.length > 0
  }

  /** Whether the turn has or had a report due. */
  get any(): boolean {
    return this.#any
  }

  get due(): readonly string[] {
    return [...this.#due]
  }

  /** Takes a line with tool results. A launch makes a report due; a completed result or an error settles it. */
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

  /** Takes a line in which the CLI informs the model about tasks. Only the end of a task has a status. */
  takeNews(line: Line): void {
    const text = textOf(line)
    if (!text.includes('<status>')) return
    for (const [, id = ''] of text.matchAll(/<tool-use-id>([^<]+)<\/tool-use-id>/g)) this.#due.delete(id)
    for (const [, id = ''] of text.matchAll(/<task-id>([^<]+)<\/task-id>/g))
      this.#due.delete(this.#toolUses.get(id) ?? '')
  }
}

/** The result of an agent or a workflow says that it was launched; a Monitor's result only has its timeout. */
function launches({ isAsync, status, taskId, timeoutMs }: Readonly<Record<string, unknown>>): boolean {
  return isAsync === true || status === 'async_launched' || (typeof taskId === 'string' && timeoutMs !== undefined)
}

/** Whether the CLI informs the model about a background task in this line. Such a line begins an unsolicited turn. */
export function isTaskNews(line: Line): boolean {
  return line.type === 'user' && textOf(line).startsWith('<task-notification>')
}
