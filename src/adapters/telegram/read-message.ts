import type { ChatFile, ChatMessage } from '../../core/channels/chat-message.ts'

/** The fields of a Bot API message that Iris reads. */
export interface TelegramMessage {
  readonly message_id: number
  readonly date: number
  readonly chat: { readonly id: number; readonly type: string }
  readonly from?: Person | undefined
  /** A group or channel that speaks in its own name. */
  readonly sender_chat?: unknown
  readonly is_topic_message?: boolean | undefined
  readonly message_thread_id?: number | undefined
  readonly text?: string | undefined
  readonly caption?: string | undefined
  readonly entities?: readonly Entity[] | undefined
  readonly caption_entities?: readonly Entity[] | undefined
  /** One picture in several sizes, the largest last. */
  readonly photo?: readonly TelegramFile[] | undefined
  readonly document?: (TelegramFile & { readonly file_name?: string | undefined }) | undefined
  readonly reply_to_message?: { readonly from?: { readonly id: number } | undefined } | undefined
}

interface TelegramFile {
  readonly file_id: string
  readonly file_size?: number | undefined
}

interface Person {
  readonly id: number
  readonly is_bot: boolean
  readonly first_name: string
  readonly last_name?: string | undefined
}

interface Entity {
  readonly type: string
  readonly offset: number
  readonly length: number
  /** Of a `text_mention`. */
  readonly user?: { readonly id: number } | undefined
}

/** The bot itself, as `getMe` returns it. */
export interface Me {
  readonly id: number
  readonly username: string
}

/**
 * Pure. The sender is the numeric id that Telegram gives, whatever the text claims. Undefined for a command that is
 * addressed to another bot.
 */
export function readMessage(updateId: number, message: TelegramMessage, me: Me): ChatMessage | undefined {
  const { chat, from, is_topic_message: isTopic, message_thread_id: topic } = message
  const text = message.text ?? message.caption ?? ''
  if (commandOf(text, entitiesOf(message))?.endsWith(`@${me.username}`.toLowerCase()) === false) return undefined
  return {
    ...{ updateId: String(updateId), cursor: String(updateId), messageId: String(message.message_id), text },
    channelId: isTopic === true && topic !== undefined ? `${chat.id}/${topic}` : String(chat.id),
    groupId: String(chat.id),
    senderId: String(from?.id ?? 0),
    senderName: [from?.first_name, from?.last_name].filter(Boolean).join(' '),
    isBot: from === undefined || from.is_bot || message.sender_chat !== undefined,
    isDirect: chat.type === 'private',
    isAddressed: message.reply_to_message?.from?.id === me.id || names(me, text, entitiesOf(message)),
    files: filesOf(message),
    sentAt: message.date * 1000,
  }
}

function filesOf({ photo, document }: TelegramMessage): ChatFile[] {
  const found = [
    ...(photo ?? []).slice(-1).map((picture) => ({ ...picture, file_name: 'picture' })),
    ...(document === undefined ? [] : [document]),
  ]
  return found.map(({ file_id: place, file_size: bytes, file_name: name = 'file' }) => ({ name, bytes, place }))
}

function entitiesOf({ text, entities, caption_entities: ofCaption }: TelegramMessage): readonly Entity[] {
  return (text === undefined ? ofCaption : entities) ?? []
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
