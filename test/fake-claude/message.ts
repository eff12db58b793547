import { textOf } from './recall.ts'

/** One message to the model: the host's, or one that the CLI wrote to itself. */
export interface Message {
  readonly uuid: string
  /** As it came: a string or blocks. */
  readonly content: unknown
  readonly text: string
  /** The host sent it with a uuid; only then are there `command_lifecycle` lines. */
  readonly named: boolean
  readonly asked: boolean
  readonly run?: string | undefined
}

interface UserLine {
  readonly uuid?: unknown
  readonly message?: { readonly content?: unknown }
}

export function messageOf(line: UserLine, newId: () => string): Message {
  const named = typeof line.uuid === 'string'
  const content = line.message?.content ?? ''
  return { uuid: named ? String(line.uuid) : newId(), content, text: textOf(content), named, asked: true }
}

/** `run`: of the background task whose end it tells. */
export function unsolicitedMessage(prompt: string, run: string | undefined, newId: () => string): Message {
  const content = [{ type: 'text', text: prompt }]
  return { uuid: newId(), content, text: prompt, named: false, asked: false, run }
}
