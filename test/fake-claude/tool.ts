import { HostGone, Withdrawn } from './host.ts'
import { permit, Refused, type ToolUse } from './permission.ts'
import { stringOr } from './recall.ts'
import type { Turn } from './turn.ts'

/** What a tool gave: for the model to read, and whether it failed. */
export interface ToolOutput {
  readonly content: string | readonly unknown[]
  readonly isError: boolean
  /** What the CLI notes of it beside what the model reads; undefined: the same. */
  readonly outcome?: object
  /** Why it did not run, as the CLI names it. */
  readonly notRun?: string
}

interface ToolRequest {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Does what the tool does; rejecting makes an error of it. */
  readonly run: (use: ToolUse) => Promise<ToolOutput>
}

/** The model uses a tool: it asks, is asked about, runs, and its result goes back to the model. */
export async function useTool(turn: Turn, { name, input, run }: ToolRequest): Promise<void> {
  const use: ToolUse = { id: `toolu_${turn.session.world.newId()}`, name, input }
  turn.speech.toolUse(use.id, name, input)
  turn.openTool = { id: use.id, name, running: false }
  // The hook is asked in this very call, so its question stands before the end of the message.
  const permitted = permit(turn, use)
  turn.speech.close('tool_use')
  const output = await permitted.then((granted) => execute(turn, { ...use, input: granted }, run)).catch(asOutput)
  turn.check()
  giveBack(turn, use, output)
  for (const message of turn.queue.takeAll()) turn.fold(message)
  turn.requesting()
}

function execute(turn: Turn, use: ToolUse, run: ToolRequest['run']): Promise<ToolOutput> {
  turn.check()
  if (turn.openTool !== undefined) turn.openTool.running = true
  const { uuid } = turn.message
  turn.session.world.record({ event: 'tool', uuid, tool: use.name, toolUseId: use.id })
  return run(use)
}

function asOutput(error: unknown): ToolOutput {
  if (error instanceof Refused) return { content: error.message, isError: true, notRun: error.kind }
  if (error instanceof HostGone) return { content: cutOffText, isError: true, notRun: 'interrupted' }
  if (error instanceof Withdrawn || !(error instanceof Error)) throw error
  return { content: error.message, isError: true }
}

function giveBack(turn: Turn, use: ToolUse, { content, isError, notRun, outcome }: ToolOutput): void {
  turn.openTool = undefined
  turn.lastToolResult = toolText(content)
  turn.lastToolFailed = isError
  turn.session.meter.add(turn.lastToolResult)
  const result = isError ? `Error: ${turn.lastToolResult}` : (outcome ?? content)
  const meta = notRun === undefined ? { id: use.id } : { id: use.id, non_execution_kind: notRun }
  // The result of an MCP tool that went well says nothing of errors.
  const flag = isError || !use.name.startsWith('mcp__') ? { is_error: isError } : {}
  turn.note([{ tool_use_id: use.id, type: 'tool_result', content, ...flag }], {
    onLine: { tool_use_result: result, tool_result_meta: [meta] },
    inEntry: { toolUseResult: result, ...(notRun === undefined ? {} : { toolDenialKind: notRun }) },
  })
}

/** What a call of an MCP tool gives the model: the structured content where there is one. */
export function mcpOutput(result: Readonly<Record<string, unknown>>): ToolOutput {
  const content = Array.isArray(result['content']) ? result['content'] : []
  if (result['isError'] === true) return { content: toolText(content), isError: true }
  const structured = result['structuredContent']
  return { content: structured === undefined ? content : JSON.stringify(structured), isError: false }
}

function toolText(content: string | readonly unknown[]): string {
  if (typeof content === 'string') return content
  return content.map((block) => stringOr((block as { text?: unknown }).text)).join('\n')
}

const cutOffText =
  'The tool call was interrupted before a result was received. It may or may not have completed on the server — ' +
  'verify before assuming it succeeded, and retry if needed.'
