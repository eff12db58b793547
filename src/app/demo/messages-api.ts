import { z } from 'zod'

/** The fields of `POST /v1/messages` that the scripted model reads. Other fields of the body are kept unchanged. */
const Block = z.looseObject({ type: z.string() })
const Content = z.union([z.string(), z.array(Block)])
const Message = z.looseObject({ role: z.string(), content: Content })

export const MessagesBody = z.looseObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  system: Content.optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  stream: z.boolean().optional(),
  max_tokens: z.number().optional(),
})
export type MessagesBody = z.infer<typeof MessagesBody>
export type Content = z.infer<typeof Content>

/** The input side of `usage` as the Messages API reports it, tokens. The three figures do not overlap. */
export interface InputUsage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
}

export type AnswerBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

/** The text of a message's content, blocks without text left out. */
export function textsOf(content: Content | undefined): string[] {
  if (content === undefined) return []
  if (typeof content === 'string') return [content]
  return content.flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
}
