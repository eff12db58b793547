import type { z } from 'zod'
import { IrisError } from '../../../base/protocol/error.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { type AttachedFilesParts, readFrom } from '../../attachments/handlers/attached-files.ts'
import type { chatHistory, chatReact, chatReply, chatSendFile } from '../contract/chat-tools.ts'
import type { ChannelsView } from '../view.ts'

/** The dependencies of these operations. */
export interface ChatToolsParts extends AttachedFilesParts {
  /** Where people in chats talk to teams. */
  readonly channels: ChannelsView
}

export function reply(
  { text }: z.output<typeof chatReply.input>,
  { auth }: Call,
  { channels }: ChatToolsParts,
): z.output<typeof chatReply.output> {
  return { posts: channels.tools.reply(askedIn(auth), text) }
}

export async function sendFile(
  { path }: z.output<typeof chatSendFile.input>,
  call: Call,
  parts: ChatToolsParts,
): Promise<z.output<typeof chatSendFile.output>> {
  const { tools } = parts.channels
  const asked = askedIn(call.auth)
  tools.maySendFile(asked)
  const content = await readFrom(call.auth.parent!.session.to, path, call, parts, 'sent')
  return { name: tools.sendFile(asked, path, content), bytes: content.length }
}

export async function react(
  { reaction }: z.output<typeof chatReact.input>,
  { auth }: Call,
  { channels }: ChatToolsParts,
): Promise<z.output<typeof chatReact.output>> {
  await channels.tools.react(askedIn(auth), reaction)
  return { reaction }
}

export async function history(
  { limit = 20 }: z.output<typeof chatHistory.input>,
  { auth }: Call,
  { channels }: ChatToolsParts,
): Promise<z.output<typeof chatHistory.output>> {
  return { messages: await channels.tools.history(askedIn(auth), limit) }
}

function askedIn({ parent }: Call['auth']) {
  if (parent !== undefined) return { turnId: parent.turnId, thread: parent.session.thread }
  throw new IrisError(
    'invalid_input',
    'You are not working on a message.',
    'Only the agent that answers a chat can call this.',
  )
}
