import type { ChatAuthor, ChatFile, ChatMessage, ChatQuote, ReadQuote } from '../chat-message.ts'
import { type MessageKind, refusedOf } from '../message-kinds.ts'
import { telegramKinds } from './kinds.ts'
import type { Entity, ExternalReply, Me, Origin, Person, TelegramMessage } from './telegram-message.ts'

type Content = Pick<ChatMessage, 'text' | 'files'> & Required<Pick<ChatMessage, 'quotes' | 'left'>>

/** The words of a forwarded message are a quote: the person who forwards it did not write them. */
export function contentOf(message: TelegramMessage, me: Me): Content {
  const { forward_origin: origin } = message
  const [text, files, replied] = [linkedText(message, me), filesOf(message), repliedTo(message, me)]
  const forward: ChatQuote[] = origin === undefined ? [] : [{ how: 'forward', author: authorOf(origin, me), text }]
  return {
    text: origin === undefined ? text : '',
    files,
    quotes: [...forward.filter((quote) => quote.text !== '' || files.length > 0), ...replied.quotes],
    left: [...refusedOf(kindsOf(message)), ...replied.left],
  }
}

/** Telegram's own notices, which nobody wrote. */
export function isNotice(message: TelegramMessage): boolean {
  return kindsOf(message).some(({ becomes }) => becomes === 'event')
}

function kindsOf(message: object): MessageKind[] {
  const known: Readonly<Record<string, MessageKind>> = telegramKinds
  return Object.entries(message).flatMap(([field, value]) => {
    const kind = value === undefined || !Object.hasOwn(known, field) ? undefined : known[field]
    // A venue includes its location, for bots that do not know venues.
    return kind === undefined || (field === 'location' && 'venue' in message) ? [] : [kind]
  })
}

function filesOf({ photo, document, animation }: TelegramMessage): ChatFile[] {
  // A GIF is also sent as a file, for bots that do not know GIFs.
  const file = animation === undefined ? document : undefined
  const found = [
    ...(photo ?? []).slice(-1).map((picture) => ({ ...picture, file_name: 'picture' })),
    ...(file === undefined ? [] : [file]),
  ]
  return found.map(({ file_id: place, file_size: bytes, file_name: name = 'file' }) => ({ name, bytes, place }))
}

function repliedTo(message: TelegramMessage, me: Me): ReadQuote {
  const { reply_to_message: replied, external_reply: external, quote } = message
  if (replied !== undefined) return repliedHere(replied, quote?.text, me)
  if (external === undefined) return { quotes: [], left: [] }
  const author = authorOf(external.origin, me)
  const media = unreadOf(external)
  const isUnknown = quote === undefined && media.length === 0
  return {
    quotes: quote === undefined ? [] : [{ how: 'reply', author, text: quote.text }],
    left: [...media, ...(isUnknown ? ['the message of another chat that is replied to'] : [])],
  }
}

/** In a topic, every message that replies to nothing else replies to the notice that began the topic. */
function repliedHere(replied: TelegramMessage, part: string | undefined, me: Me): ReadQuote {
  if (replied.forum_topic_created !== undefined) return { quotes: [], left: [] }
  if (isNotice(replied)) return { quotes: [], left: ['the notice of Telegram that is replied to'] }
  const [author, text, left] = [writerOf(replied, me), linkedText(replied, me), unreadOf(replied)]
  const quotes: ChatQuote[] = text === '' ? [] : [{ how: 'reply', author, text }]
  if (part !== undefined && part !== text) quotes.push({ how: 'part', author, text: part })
  const isUnknown = quotes.length === 0 && left.length === 0
  return { quotes, left: isUnknown ? ['the message that is replied to'] : left }
}

/** The parts of a replied-to message that Iris does not read. Its files are not fetched. */
function unreadOf(message: TelegramMessage | ExternalReply): string[] {
  const files = [
    ...(message.photo === undefined ? [] : ['a picture']),
    ...(message.document === undefined || message.animation !== undefined ? [] : ['a file']),
  ]
  return [...files, ...refusedOf(kindsOf(message))].map((one) => `${one} in the message that is replied to`)
}

/** The author of a message; if the message was forwarded, its original author. */
function writerOf(
  { from, sender_chat: chat, forward_origin: origin }: TelegramMessage,
  me: Me,
): ChatAuthor | undefined {
  if (origin !== undefined) return authorOf(origin, me)
  if (chat !== undefined) return { id: String(chat.id), name: chat.title ?? '', isYou: false }
  return from && personOf(from, me)
}

function authorOf(origin: Origin, me: Me): ChatAuthor | undefined {
  if (origin.sender_user !== undefined) return personOf(origin.sender_user, me)
  // A person who hides their account has a name but no id.
  if (origin.sender_user_name !== undefined) return { id: undefined, name: origin.sender_user_name, isYou: false }
  const chat = origin.sender_chat ?? origin.chat
  return chat && { id: String(chat.id), name: chat.title ?? '', isYou: false }
}

function personOf(person: Person, me: Me): ChatAuthor {
  return { id: String(person.id), name: fullName(person), isYou: person.id === me.id }
}

export function fullName({ first_name: first, last_name: last }: Person): string {
  return [first, last].filter(Boolean).join(' ')
}

/** The text, including what Telegram hides behind words: addresses, and the ids of people without a username. */
function linkedText(message: TelegramMessage, me: Me): string {
  const written = message.text ?? message.caption ?? ''
  const links = entitiesOf(message).flatMap(({ offset, length, ...entity }) => {
    const target = targetOf(entity, me)
    const words = written.slice(offset, offset + length)
    return target === undefined || words === target ? [] : [{ offset, length, shown: `[${words}](${target})` }]
  })
  return links
    .toSorted((one, other) => other.offset - one.offset)
    .reduce((text, { offset, length, shown }) => text.slice(0, offset) + shown + text.slice(offset + length), written)
}

function targetOf({ type, url, user }: Omit<Entity, 'offset' | 'length'>, me: Me): string | undefined {
  if (type === 'text_link') return url
  return type === 'text_mention' && user && user.id !== me.id ? `tg://user?id=${user.id}` : undefined
}

export function entitiesOf({ text, entities, caption_entities: ofCaption }: TelegramMessage): readonly Entity[] {
  return (text === undefined ? ofCaption : entities) ?? []
}
