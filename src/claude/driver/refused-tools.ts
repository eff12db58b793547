import type { RefusedTool } from '../../base/agent/control-handler.ts'
import { isSystem, type Line, toolResults } from '../../base/agent/line.ts'
import { isRecord } from '../../base/lib/is-record.ts'

/**
 * The reasons in `permission_denied` that mean a rule: one for the whole tool use, or one for a part of the command.
 */
const byRule = new Set(['rule', 'subcommandResults'])

/**
 * Finds the tools that the CLI refuses by its rules. The CLI refuses file tools before it asks a hook, so Iris sees
 * only the tool use and the error. It refuses commands after it has asked the hook, and reports the refusal in a line.
 */
export class RefusedTools {
  readonly #uses = new Map<string, { readonly toolName: string; readonly input: unknown }>()
  readonly #asked = new Set<string>()

  /** Call when the CLI asks Iris's hook about this tool, which may be before it prints the use. */
  isAsked(toolUseId: string): void {
    this.#asked.add(toolUseId)
  }

  /** The tools that, according to this line, the CLI refused, or that failed before the CLI asked the hook. */
  take(line: Line): readonly RefusedTool[] {
    if (isSystem(line, 'permission_denied'))
      return byRule.has(String(line['decision_reason_type'])) ? [denied(line)] : []
    for (const [id, use] of usesIn(line)) this.#uses.set(id, use)
    return toolResults(line).flatMap(({ toolUseId, isError }) => {
      const use = this.#uses.get(toolUseId)
      const failedBefore = isError && use !== undefined && !this.#asked.has(toolUseId)
      this.#uses.delete(toolUseId)
      this.#asked.delete(toolUseId)
      return failedBefore ? [{ ...use, toolUseId, why: undefined }] : []
    })
  }
}

function denied(line: Line): RefusedTool {
  const { tool_name: name, tool_use_id: id, message } = line
  return { toolName: String(name), toolUseId: String(id), input: undefined, why: String(message) }
}

function usesIn(line: Line): [string, { toolName: string; input: unknown }][] {
  const message = line['message']
  if (line.type !== 'assistant' || !isRecord(message) || !Array.isArray(message['content'])) return []
  return message['content'].flatMap((block: unknown) =>
    isRecord(block) && block['type'] === 'tool_use'
      ? [[String(block['id']), { toolName: String(block['name']), input: block['input'] }]]
      : [],
  )
}
