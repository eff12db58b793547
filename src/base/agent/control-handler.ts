import type { UnsolicitedCause } from './unsolicited-turn.ts'

/**
 * A tool that is about to run. The CLI asks before every tool, including allowed ones and MCP tools, and waits for the
 * answer.
 */
export interface ToolStart {
  readonly toolName: string
  readonly toolUseId: string
  readonly input: unknown
  /** The tool use that started the calling subagent; undefined for the turn's own agent. */
  readonly within: string | undefined
  /** The unsolicited turn that uses the tool; undefined if the running message's turn uses it. */
  readonly unsolicited: UnsolicitedCause | undefined
  /** Path of the transcript, as the CLI reports it. */
  readonly transcriptPath: string | undefined
}

export interface PermissionQuestion {
  readonly toolName: string
  readonly toolUseId: string
  readonly input: Record<string, unknown>
  /** Rules that Claude Code suggests, which would answer such questions in future. */
  readonly suggestions: readonly unknown[]
  readonly blockedPath: string | undefined
  /** Iris's own reason to ask, in addition to Claude Code's. */
  readonly why?: string
}

export type PermissionAnswer =
  | { readonly behavior: 'allow'; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: 'deny'; readonly message: string }

/** A tool that has run, successfully or not, with its final input. */
export type RanTool = Pick<ToolStart, 'toolName' | 'toolUseId' | 'input'>

/** A tool that the CLI itself refused. */
export interface RefusedTool extends RanTool {
  /**
   * The CLI's own reason; undefined if the CLI refused the tool, or could not read the tool's input, before it asked
   * any hook.
   */
  readonly why: string | undefined
}

/** The reason for a refusal; undefined lets the tool continue. */
export type ToolRefusal = string | undefined

/**
 * Answers the control requests of a process. Higher floors implement it. `signal` aborts when the CLI cancels a
 * request. `isRepeated`: the CLI has already asked an earlier Iris, whose answer did not reach the process.
 */
export interface ControlHandler {
  beforeTool(start: ToolStart): ToolRefusal | Promise<ToolRefusal>
  /** A project's hook may have changed the input since `beforeTool`. Never throws. */
  afterTool(ran: RanTool): void
  /** Never throws. */
  toolRefused(refused: RefusedTool): void
  /** Whether a person must be asked about this tool, even if a rule allows it. */
  mustAsk(start: ToolStart): boolean
  /** A note for the agent, added to the result of a permitted tool. */
  noteFor(start: ToolStart): string | undefined
  mayUse(question: PermissionQuestion, signal: AbortSignal, isRepeated?: boolean): Promise<PermissionAnswer>
  /** Handles one JSON-RPC message for the server `iris`; resolves to undefined for a notification. */
  mcp(message: unknown, signal: AbortSignal, isRepeated?: boolean): Promise<unknown>
}
