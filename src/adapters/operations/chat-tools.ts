import type { z } from 'zod'
import { IrisError } from '../../base/protocol/error.ts'
import type { chatHistory, chatReact, chatReply } from '../../base/protocol/operations/chat-tools.ts'
import type { Call, Domain } from './call.ts'

export function reply(
  { text }: z.output<typeof chatReply.input>,
  { caller }: Call,
  { channels }: Domain,
): z.output<typeof chatReply.output> {
  return { posts: channels.tools.reply(askedIn(caller), text) }
}

export async function react(
  { reaction }: z.output<typeof chatReact.input>,
  { caller }: Call,
  { channels }: Domain,
): Promise<z.output<typeof chatReact.output>> {
  await channels.tools.react(askedIn(caller), reaction)
  return { reaction }
}

export async function history(
  { limit = 20 }: z.output<typeof chatHistory.input>,
  { caller }: Call,
  { channels }: Domain,
): Promise<z.output<typeof chatHistory.output>> {
  return { messages: await channels.tools.history(askedIn(caller), limit) }
}

function askedIn({ parent }: Call['caller']) {
  if (parent !== undefined) return { turnId: parent.turnId, thread: parent.session.thread }
  throw new IrisError('invalid_input', 'You work on no message.', 'Only the agent that answers a chat calls this.')
}
