import type { z } from 'zod'

/** The least right that may call: an agent in a turn, a program with the token, or the person who owns this Iris. */
export const accesses = ['agent', 'program', 'owner'] as const
export type Access = (typeof accesses)[number]

/** Where HTTP finds it; what stands in braces is a field of the input. */
export type Route = `${'GET' | 'POST'} /api/${string}`

/**
 * One verb offered to the outside, declared once: MCP tool, HTTP route and command are made from it. Input and output
 * are zod objects; the types come from them.
 */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly routes: readonly Route[]
  readonly title: string
  /** Said to models, so under 2 KB: Claude Code cuts the rest. */
  readonly description: string
  readonly access: Access
  /**
   * Claude Code itself calls it, no model: shown at the endpoint of a session only, and answered by text alone, for it takes
   * nothing else. By its name anybody may call it anywhere.
   */
  readonly forClaudeCode?: boolean
  /** Default true. False: programs and the dashboard find it over HTTP, and no model pays for its schema. */
  readonly isTool?: boolean
  /** Only an agent at work on a message has a use for it: no tool of programs and people, and no command. */
  readonly onlyAgents?: boolean
  readonly input: Input
  readonly output: Output
  /** Fields of the input that the list of tools leaves out, because a model pays for each. They are accepted all the same. */
  readonly unlisted?: readonly string[]
  /** The operation whose fields it has, and that describes them: the list of tools does so once. */
  readonly fieldsOf?: string
  /** Who calls it wants an answer: a message that ends without one is an error of the call, not only a state of the message. */
  readonly wantsAnswer?: boolean
  /** Changes nothing. Claude Code runs only such calls side by side. */
  readonly readOnly: boolean
  /** Can delete what nothing brings back: clients ask their person first. */
  readonly destructive?: boolean
}

export function operation<Input extends z.ZodObject, Output extends z.ZodObject>(
  declared: Operation<Input, Output>,
): Operation<Input, Output> {
  return declared
}
