import type { z } from 'zod'

/** The least privileged caller that is allowed: an agent in a turn, a program with the token, or the owner. */
export const accesses = ['agent', 'program', 'owner'] as const
/** `viewer`: a person who only chats in a browser, and the owner. */
export type Access = (typeof accesses)[number] | 'viewer'

/** An HTTP route; a name in braces is a field of the input. */
export type Route = `${'GET' | 'POST'} /api/${string}`

/** The size limit of a tool's answer to a model. Over HTTP and for Iris's own commands, answers are complete. */
export interface AnswerBound {
  /** Four bytes count as one token. */
  readonly tokens: number
  /** How a model can get the items that were left out. */
  readonly narrow: string
  /** Which items of an overlong list are kept. Default: the first. */
  readonly keeps?: 'last'
}

export const usualAnswer: AnswerBound = { tokens: 10_000, narrow: 'Ask for less.' }
/** For lists that come in pages: a page fits into a tool result of Claude Code. */
export const pageAnswer: AnswerBound = { tokens: 24_000, narrow: 'Ask with a smaller limit, then for the next page.' }
/** For answers of teams. Claude Code keeps a result of more than 25 000 tokens in a file. */
export const wholeAnswer: AnswerBound = {
  tokens: 300_000,
  narrow: 'Call message_status with from: 0 to get the text in parts.',
}

/** Prompts that clients of MCP offer to people. Each calls the operation, whose output is then a `MadePrompt`. */
export interface Prompts {
  /** The input field with the name of the prompt. */
  readonly field: string
  /** A description of each prompt, by its name. */
  readonly kinds: Readonly<Record<string, string>>
  /** Input fields that a person may fill in, each with a hint. */
  readonly arguments: Readonly<Record<string, string>>
}

export type MadePrompt = {
  readonly prompt: string
  readonly source: string
  readonly warnings: readonly string[]
}

/**
 * One verb of the API, declared once: its MCP tool, HTTP route and command derive from it. Input and output are zod
 * objects; the types come from them.
 */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly routes: readonly Route[]
  readonly title: string
  /** Models read it. Under 2 KB: Claude Code cuts the rest. */
  readonly description: string
  readonly access: Access
  /**
   * Claude Code itself calls the operation, not a model. Only the session endpoint lists it, and its answer is only
   * text, because Claude Code accepts nothing else. Any caller may still call it by name.
   */
  readonly forClaudeCode?: boolean
  /** Default true. False: only HTTP offers it, to programs and the dashboard, so no model pays for its schema. */
  readonly isTool?: boolean
  /** Only for an agent that works on a message: neither a command, nor a tool for programs and people. */
  readonly onlyAgents?: boolean
  /** Only for an agent that answers a chat. */
  readonly inChats?: boolean
  readonly input: Input
  readonly output: Output
  /**
   * Input fields that no list of tools includes: other spellings, fields for programs, and fields of a longer form of
   * the tool. Calls may still use them.
   */
  readonly unlisted?: readonly string[]
  /** Further fields that the list for Iris's agents omits, because each of their conversations pays for the list. */
  readonly unlistedForAgents?: readonly string[]
  /** The operation that has the same fields: the list of tools describes them only there. */
  readonly fieldsOf?: string
  readonly prompts?: Prompts
  /** The size limit of its answer as a tool. Default: `usualAnswer`. */
  readonly answer?: AnswerBound
  /** The caller wants an answer: if the message ends without one, the call itself is an error. */
  readonly wantsAnswer?: boolean
  /** Changes nothing. Claude Code runs only read-only calls in parallel. */
  readonly readOnly: boolean
  /** Can delete something for good, so clients ask their user first. */
  readonly destructive?: boolean
}

export function operation<Input extends z.ZodObject, Output extends z.ZodObject>(
  declared: Operation<Input, Output>,
): Operation<Input, Output> {
  return declared
}
