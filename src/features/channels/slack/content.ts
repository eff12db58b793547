import type { ChatAuthor, ChatFile, ChatMessage, ChatQuote, ReadQuote } from '../chat-message.ts'
import { type MessageKind, refusedOf } from '../message-kinds.ts'
import { slackAttachments, slackBlocks, slackFiles } from './kinds.ts'
import type { SlackAttachment, SlackBlock, SlackFile, SlackMessage } from './slack-message.ts'

type Content = Pick<ChatMessage, 'text' | 'files'> & Required<Pick<ChatMessage, 'quotes' | 'left'>>

/**
 * `me`: the bot's user id. The text omits a mention of the bot at its beginning, because such a mention only addresses
 * the bot.
 */
export function contentOf({ text = '', files = [], attachments = [], blocks = [] }: SlackMessage, me: string): Content {
  const shared = attachments.filter(isShared)
  const all = [...files, ...shared.flatMap((one) => one.files ?? [])]
  const mention = `<@${me}>`
  return {
    text: plainText(text.trimStart().startsWith(mention) ? text.trimStart().slice(mention.length).trimStart() : text),
    files: all.filter((file) => fileKind(file).becomes === 'taken').map(fileOf),
    quotes: shared.map((one) => sharedQuote(one, me)).filter(({ text: said }) => said !== '' || all.length > 0),
    left: refusedOf([...attachments.map(attachmentKind), ...all.map(fileKind), ...blocks.map(blockKind)]),
  }
}

/** The first message of a thread, which is often another bot's post. Its files are not fetched. */
export function rootQuote(message: SlackMessage, me: string): ReadQuote {
  const { user, bot_id: bot, username, bot_profile: profile, files = [], attachments = [] } = message
  const id = user ?? bot
  const name = username ?? profile?.name ?? id ?? ''
  const text = [wordsOf(message), ...attachments.map(attachedWords)].filter((part) => part !== '').join('\n')
  const author: ChatAuthor | undefined = id === undefined ? undefined : { id, name, isYou: user === me }
  const quotes: ChatQuote[] = text === '' ? [] : [{ how: 'thread', author, text }]
  const isUnknown = quotes.length === 0 && files.length === 0
  return {
    quotes,
    left: [
      ...(files.length > 0 ? ['the files of the message that this thread begins with'] : []),
      ...(isUnknown ? ['the message that this thread begins with'] : []),
    ],
  }
}

function sharedQuote(attachment: SlackAttachment, me: string): ChatQuote {
  const { author_id: id, author_name: name = id ?? '' } = attachment
  const author = id === undefined && name === '' ? undefined : { id, name, isYou: id === me }
  return { how: 'share', author, text: attachedWords(attachment) }
}

/** The fallback replaces an attachment that has no words. */
function attachedWords({ pretext, title, text, fields = [], fallback }: SlackAttachment): string {
  const said = [pretext, title, text, ...fields.flatMap((field) => [field.title, field.value])].filter(Boolean)
  return plainText((said.length > 0 ? said : [fallback]).filter(Boolean).join('\n'))
}

function wordsOf({ text = '', blocks = [] }: SlackMessage): string {
  return text === '' ? plainText(textsIn(blocks).join('\n')) : plainText(text)
}

/** Deeper blocks are not read, because nobody writes them. */
const deepest = 8

/** The texts in the blocks of an app's message, which may have no text elsewhere. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'text' && typeof inner === 'string' ? [inner] : textsIn(inner, depth + 1),
  )
}

function isShared({ is_share: isShare, is_msg_unfurl: isUnfurl }: SlackAttachment): boolean {
  return isShare === true || isUnfurl === true
}

function attachmentKind(attachment: SlackAttachment): MessageKind {
  if (isShared(attachment)) return slackAttachments.shared
  const { from_url: from, original_url: original } = attachment
  return from === undefined && original === undefined ? slackAttachments.other : slackAttachments.preview
}

function fileKind({ mode = 'hosted', url_private_download: place }: SlackFile): MessageKind {
  const known: Readonly<Record<string, MessageKind>> = slackFiles
  const kind = Object.hasOwn(known, mode) ? known[mode]! : slackFiles.hosted
  // Some files have no address, for example files of another workspace.
  return kind.becomes === 'taken' && !place ? slackFiles.unavailable : kind
}

function blockKind({ type }: SlackBlock): MessageKind {
  const known: Readonly<Record<string, MessageKind>> = slackBlocks
  return Object.hasOwn(known, type) ? known[type]! : slackBlocks.section
}

function fileOf({ name, size: bytes, url_private_download: place = '' }: SlackFile): ChatFile {
  return { name: name ?? 'file', bytes, place }
}

/** Excludes `<`, so that unclosed links are not scanned again and again. */
const link = /<((?:https?|ftp|mailto|tel):[^|<>]*)(?:\|([^<>]*))?>/g

/** Slack's text as people read it, with a link's address after the link's words. */
function plainText(text: string): string {
  return unescaped(
    text.replace(link, (_all, address: string, words?: string) => {
      const isSame =
        words === undefined || words === '' || address.replace(/^\w+:(?:\/\/)?/, '').replace(/\/$/, '') === words
      return isSame ? (words ?? '') || address : `[${words}](${address})`
    }),
  )
}

export function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
