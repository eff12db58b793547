import type { Usage } from '../protocol/turn.ts'
import type { AnswerNotes } from './answer.ts'

/** How a turn ended, from its `result` line. */
export interface ReportedEnd {
  readonly isError: boolean
  /** `success` even if the API failed: use `isError`. */
  readonly subtype: string
  /** The answer, or the CLI's error text. */
  readonly text: string
  /** HTTP status of an API error; null if there was none or the CLI did not say (529 on 2.1.197). */
  readonly apiErrorStatus: number | null
  /** The CLI's name for the error; undefined if there was none, or if the build does not name it. */
  readonly apiError: string | undefined
  readonly terminalReason: string | null
  /** Undefined if the CLI did not say. */
  readonly stopReason: string | null | undefined
  readonly numTurns: number
  /** The tool that a project's hook deferred; null if there is none. */
  readonly deferredTool: string | null
}

/** Usage of all models by the main conversation, its subagents and workflows. */
export interface Spent {
  readonly costUsd: number
  /** Undefined if the CLI did not say. */
  readonly tokens: Tokens | undefined
}

export type Tokens = Pick<Usage, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'>

/** A parsed `result` line. */
export interface ClaudeResult extends ReportedEnd {
  /** A note about the answer; undefined if there is none. */
  readonly notes: AnswerNotes | undefined
  /** Present if the message joined a turn that the CLI had begun on its own. The usage then covers both. */
  readonly joinedReport?: true
  readonly usage: Usage
  /** Cumulative: since the process began (2.1.197), or since the conversation's last clean end (2.1.330). */
  readonly spent: Spent
  readonly sessionId: string
  /** The uuid of the result line. */
  readonly uuid: string
}

/** An MCP server whose tools the agent does not have. */
export interface MissingServer {
  readonly name: string
  readonly needsLogin: boolean
}
