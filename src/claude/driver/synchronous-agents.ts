import type { ToolStart } from '../../base/agent/control-handler.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { agentTools } from '../../base/rule/rule.ts'

/**
 * The input that makes a subagent run in the foreground; undefined for other tools, whose input does not change. Since
 * 2.1.198, subagents run in the background by default, and the caller would get an answer before they have found
 * anything. The CLI takes the whole input from the hook, so the result keeps every field that the model wrote. See
 * test/pins/subagents.test.ts.
 */
export function foregroundInput({
  toolName,
  input,
}: Pick<ToolStart, 'toolName' | 'input'>): Readonly<Record<string, unknown>> | undefined {
  if (!agentTools.includes(toolName) || !isRecord(input)) return undefined
  return { ...input, run_in_background: false }
}
