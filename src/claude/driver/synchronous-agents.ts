import { isRecord } from '../../base/lib/is-record.ts'
import type { ToolStart } from './control-handler.ts'

/** Older builds call the tool `Task`. */
const agentTools = new Set(['Agent', 'Task'])

/**
 * The input with which a subagent runs in the foreground; undefined leaves the tool as it is. Since 2.1.198 subagents run
 * in the background unless the model asks otherwise, and the caller would be answered before they have found anything.
 * The CLI takes the whole input from the hook, so that every field of the model's is kept. See test/pins/subagents.test.ts.
 */
export function foregroundInput({
  toolName,
  input,
}: Pick<ToolStart, 'toolName' | 'input'>): Readonly<Record<string, unknown>> | undefined {
  if (!agentTools.has(toolName) || !isRecord(input)) return undefined
  return { ...input, run_in_background: false }
}
