import type { ChatAuthor, ChatFile, ChatMessage, ChatQuote, ReadQuote } from '../chat-message.ts'
import { type MessageKind, refusedOf } from '../message-kinds.ts'
import type { DiscordAuthor, DiscordContent, DiscordFile, DiscordMessage } from './discord-message.ts'
import { discordKinds } from './kinds.ts'

type Content = Pick<ChatMessage, 'text' | 'files'> & Required<Pick<ChatMessage, 'quotes' | 'left'>>

/**
 * The bot's own id, and whether Discord shows the bot texts that do not mention it. In direct messages, Discord always
 * does.
 */
export interface Reader {
  readonly me: string
  readonly readsTexts: boolean
}

/** Discord's number for the type of a message that replies to another one. */
const reply = 19

/** The text omits a mention of the bot at its beginning, because such a mention only addresses the bot. */
export function contentOf(message: DiscordMessage, reader: Reader): Content {
  const forwarded = (message.message_snapshots ?? []).map((one) => one.message)
  const files = [message, ...forwarded].flatMap(({ attachments = [] }) => attachments.map(fileOf))
  const forwards = forwarded.map((one): ChatQuote => ({ how: 'forward', author: undefined, text: wordsOf(one) }))
  const replied = message.type === reply ? repliedTo(message.referenced_message, reader) : { quotes: [], left: [] }
  const isHidden = forwards.some(({ text }, index) => text === '' && isHiddenFrom(forwarded[index]!, reader))
  return {
    text: message.content.replace(new RegExp(`^\\s*<@!?${reader.me}>\\s*`), ''),
    files,
    quotes: [...forwards.filter(({ text }) => text !== '' || files.length > 0), ...replied.quotes],
    left: [
      ...[message, ...forwarded].flatMap((one) => refusedOf(kindsOf(one))),
      ...(isHidden ? [`the words of the forwarded message ${hidden}`] : []),
      ...replied.left,
    ],
  }
}

/** The first message of a thread. */
export function rootQuote(root: DiscordMessage, reader: Reader): ReadQuote {
  return quoteOf(root, 'thread', 'the message that this thread begins with', reader)
}

const it = 'the message that is replied to'

function repliedTo(replied: DiscordMessage['referenced_message'], reader: Reader): ReadQuote {
  if (replied === null) return { quotes: [], left: [`${it}, which is deleted`] }
  return replied === undefined ? { quotes: [], left: [it] } : quoteOf(replied, 'reply', it, reader)
}

function quoteOf(
  message: DiscordContent & { readonly author: DiscordAuthor },
  how: ChatQuote['how'],
  what: string,
  reader: Reader,
): ReadQuote {
  const [text, author, { attachments = [] }] = [wordsOf(message), authorOf(message.author, reader.me), message]
  const parts = [...(attachments.length > 0 ? ['the files'] : []), ...refusedOf(kindsOf(message))]
  const isUnknown = text === '' && parts.length === 0
  const unknown = isHiddenFrom(message, reader) && message.author.id !== reader.me ? `${what} ${hidden}` : what
  return {
    quotes: text === '' ? [] : [{ how, author, text }],
    left: isUnknown ? [unknown] : parts.map((part) => `${part} in ${what}`),
  }
}

const hidden = '(Discord shows it only to bots with Message Content Intent)'

/** Discord empties the fields that the bot is not allowed to see. */
function isHiddenFrom(message: DiscordContent, { readsTexts }: Reader): boolean {
  return !readsTexts && wordsOf(message) === '' && (message.attachments ?? []).length === 0
}

/** Apps put the words of their posts into embeds. */
function wordsOf({ content, embeds = [] }: DiscordContent): string {
  const posted = embeds
    .filter(({ type = 'rich' }) => type === 'rich')
    .flatMap(({ title, description, fields = [] }) => [
      title,
      description,
      ...fields.flatMap(({ name, value }) => [name, value]),
    ])
  return [content, ...posted].filter(Boolean).join('\n')
}

function kindsOf(message: object): MessageKind[] {
  const known: Readonly<Record<string, MessageKind>> = discordKinds
  return Object.entries(message).flatMap(([field, value]) => {
    const isThere = Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined
    return isThere && Object.hasOwn(known, field) ? [known[field]!] : []
  })
}

function authorOf({ id, username, global_name: name }: DiscordAuthor, me: string): ChatAuthor {
  return { id, name: name ?? username, isYou: id === me }
}

function fileOf({ filename: name, size: bytes, url: place }: DiscordFile): ChatFile {
  return { name, bytes, place }
}
