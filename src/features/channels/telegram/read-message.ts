import type { ChatMessage } from '../chat-message.ts'
import { contentOf, entitiesOf, fullName, isNotice } from './content.ts'
import type { Entity, Me, TelegramMessage } from './telegram-message.ts'

/**
 * Pure. The sender is the numeric id that Telegram gives, whatever the text claims. Undefined for Telegram's own
 * notices, and for a command that is addressed to another bot.
 */
export function readMessage(updateId: number, message: TelegramMessage, me: Me): ChatMessage | undefined {
  return isNotice(message) || isForAnother(message, me) ? undefined : asWritten(updateId, message, me)
}

/** Whether the message begins with a command that names another bot. */
export function isForAnother(message: TelegramMessage, me: Me): boolean {
  const [text, entities] = ownWords(message)
  return commandOf(text, entities)?.endsWith(`@${me.username}`.toLowerCase()) === false
}

/** Mentions in someone else's text do not count, so a forwarded message has no words of its own. */
function ownWords(message: TelegramMessage): readonly [text: string, entities: readonly Entity[]] {
  if (message.forward_origin !== undefined) return ['', []]
  return [message.text ?? message.caption ?? '', entitiesOf(message)]
}

/** A message that someone wrote, to the bot or to others. */
export function asWritten(updateId: number, message: TelegramMessage, me: Me): ChatMessage {
  const { chat, from, is_topic_message: isTopic, message_thread_id: topic } = message
  const [text, entities] = ownWords(message)
  return {
    updateId: String(updateId),
    cursor: String(updateId),
    messageId: String(message.message_id),
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

/** The command at the beginning of a text, if the command names a bot. */
function commandOf(text: string, entities: readonly Entity[]): string | undefined {
  const first = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0)
  const command = text.slice(0, first?.length ?? 0).toLowerCase()
  return command.includes('@') ? command : undefined
}
