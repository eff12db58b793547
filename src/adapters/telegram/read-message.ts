import type { ChatMessage } from '../../core/channels/chat-message.ts'
import { contentOf, entitiesOf, fullName, isNotice } from './content.ts'
import type { Entity, Me, TelegramMessage } from './telegram-message.ts'

/**
 * Pure. The sender is the numeric id that Telegram gives, whatever the text claims. Undefined for Telegram's own notices,
 * and for a command that is addressed to another bot.
 */
export function readMessage(updateId: number, message: TelegramMessage, me: Me): ChatMessage | undefined {
  const { chat, from, is_topic_message: isTopic, message_thread_id: topic } = message
  if (isNotice(message)) return undefined
  // What somebody else wrote calls nobody.
  const isForwarded = message.forward_origin !== undefined
  const [text, entities] = isForwarded ? ['', []] : [message.text ?? message.caption ?? '', entitiesOf(message)]
  if (commandOf(text, entities)?.endsWith(`@${me.username}`.toLowerCase()) === false) return undefined
  return {
    ...{ updateId: String(updateId), cursor: String(updateId), messageId: String(message.message_id) },
    channelId: isTopic === true && topic !== undefined ? `${chat.id}/${topic}` : String(chat.id),
    groupId: String(chat.id),
    senderId: String(from?.id ?? 0),
    senderName: from === undefined ? '' : fullName(from),
    isBot: from === undefined || from.is_bot || message.sender_chat !== undefined,
    isDirect: chat.type === 'private',
    isAddressed: message.reply_to_message?.from?.id === me.id || names(me, text, entities),
    ...contentOf(message, me),
    sentAt: message.date * 1000,
  }
}

function names({ id, username }: Me, text: string, entities: readonly Entity[]): boolean {
  const name = `@${username}`.toLowerCase()
  return entities.some(({ type, offset, length, user }) => {
    const part = text.slice(offset, offset + length).toLowerCase()
    if (type === 'text_mention') return user?.id === id
    return (type === 'mention' && part === name) || (type === 'bot_command' && part.endsWith(name))
  })
}

/** The command with which a text begins, if it names a bot. */
function commandOf(text: string, entities: readonly Entity[]): string | undefined {
  const first = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0)
  const command = text.slice(0, first?.length ?? 0).toLowerCase()
  return command.includes('@') ? command : undefined
}
