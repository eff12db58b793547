/** A tool is about to run. Asked before every tool, allowed ones and MCP's too; the CLI waits for the answer. */
export interface ToolStart {
  readonly toolName: string
  readonly toolUseId: string
  readonly input: unknown
  /** The tool use of the subagent that uses it; undefined for the turn's own agent. */
  readonly within: string | undefined
  /** Where the CLI keeps this conversation, as it says itself. */
  readonly transcriptPath: string | undefined
}

export interface PermissionQuestion {
  readonly toolName: string
  readonly toolUseId: string
  readonly input: Record<string, unknown>
  /** Claude's own offers of rules that would answer such questions in future. */
  readonly suggestions: readonly unknown[]
  readonly blockedPath: string | undefined
}

export type PermissionAnswer =
  | { readonly behavior: 'allow'; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: 'deny'; readonly message: string }

/** Refused with its reason, or undefined to go on. */
export type ToolRefusal = string | undefined

/**
 * What comes up a process's pipe. Owned here, implemented above; `signal` aborts when the CLI withdraws the question.
 * `isRepeated`: a former Iris was asked the same, and its answer did not reach the process.
 */
export interface ControlHandler {
  beforeTool(start: ToolStart): ToolRefusal | Promise<ToolRefusal>
  mayUse(question: PermissionQuestion, signal: AbortSignal, isRepeated?: boolean): Promise<PermissionAnswer>
  /** One JSON-RPC message for the server `iris`; undefined answers a notification. */
  mcp(message: unknown, signal: AbortSignal, isRepeated?: boolean): Promise<unknown>
}
