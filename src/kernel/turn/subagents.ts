import { isSystem, type Line } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Subagent } from '../../base/protocol/turn.ts'
import { subagentTypes } from '../../claude/driver/background-tasks.ts'

/** The largest number of subagents that is recorded for one turn. Further subagents are ignored. */
const maxKept = 100

/** The subagents of one turn, as the CLI reports them. */
export class Subagents {
  readonly #byTask = new Map<string, Subagent>()

  /** In the order of their starts. */
  get all(): readonly Subagent[] {
    return [...this.#byTask.values()]
  }

  take(line: Line, now: number): void {
    if (line.type !== 'system') return
    const id = String(line['task_id'])
    const known = this.#byTask.get(id)
    if (isSystem(line, 'task_started') && subagentTypes.has(String(line['task_type']))) {
      if (this.#byTask.size >= maxKept) return
      const begun = { state: 'working', tools: 0, tokens: 0, since: now } as const
      this.#byTask.set(id, { description: text(line['description']), ...begun })
    } else if (known !== undefined && isSystem(line, 'task_progress')) {
      this.#byTask.set(id, { ...known, ...figures(line), doing: text(line['description']) })
    } else if (known !== undefined && (isSystem(line, 'task_notification') || hasEnded(line))) {
      const { doing: _, ...rest } = known
      this.#byTask.set(id, { ...rest, ...figures(line), state: 'ended' })
    }
  }
}

function hasEnded(line: Line): boolean {
  const { patch } = line
  return (
    isSystem(line, 'task_updated') &&
    isRecord(patch) &&
    typeof patch['status'] === 'string' &&
    !['running', 'pending'].includes(patch['status'])
  )
}

/** Figures that the line does not contain are absent. */
function figures({ usage }: Line): Partial<Pick<Subagent, 'tools' | 'tokens'>> {
  if (!isRecord(usage)) return {}
  const { tool_uses: tools, total_tokens: tokens } = usage
  return { ...(isCount(tools) && { tools }), ...(isCount(tokens) && { tokens }) }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
