import { type Clock, pause } from '../../base/lib/clock.ts'
import { isUnseen } from '../../base/lib/visible.ts'
import type { ChatMessage, ReadQuote } from './chat-message.ts'
import { ChatFailure, type ChatPlatform } from './chat-platform.ts'
import { bounded, withQuotes } from './quotes.ts'

/** What the agent gets of a message, besides files, and what it does not get. */
export interface MessageContent {
  readonly text: string
  /** The parts that the agent does not get, each in words for the chat. */
  readonly left: readonly string[]
  /** The message contains nothing that can be answered. */
  readonly isEmpty: boolean
}

interface ContentParts {
  readonly platform: ChatPlatform | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The message begins a conversation, so the agent does not know how the thread began. */
  readonly begins: boolean
}

/** Throws when `signal` aborts. */
export async function contentOf(message: ChatMessage, parts: ContentParts): Promise<MessageContent> {
  const root = parts.begins ? await rootOf(message, parts) : nothing
  return composed({
    ...message,
    quotes: [...root.quotes, ...(message.quotes ?? [])],
    left: [...root.left, ...(message.left ?? [])],
  })
}

/** The parts of a message that are known without a request to its platform. */
export function composed({ text, files = [], quotes = [], left = [] }: ChatMessage): MessageContent {
  const kept = bounded(quotes)
  const all = [...new Set([...left, ...kept.left])]
  const said = quotes.filter((quote) => !isUnseen(quote.text))
  // In a reply or a thread, a mention alone refers to the message replied to, or to the first one of the thread.
  const hasQuote = said.some(({ how }) => how === 'forward' || how === 'share') || (said.length > 0 && all.length === 0)
  return {
    text: withQuotes(text, { quotes: kept.quotes, left: all }),
    left: all,
    isEmpty: isUnseen(text) && files.length === 0 && !hasQuote,
  }
}

/** The stored form of a message that is not answered for now. It does not include files. */
export function skippedText(message: ChatMessage): string {
  const { files = [], left = [] } = message
  return composed({ ...message, left: files.length === 0 ? left : [...left, 'its files, which are not kept'] }).text
}

const understood = 'Only text, pictures and files are understood here.'

/** Why Iris refuses a message that contains nothing to answer. */
export function notUnderstood({ left }: MessageContent): string {
  return `${left.length === 0 ? 'it has no words' : left.join(', ')}. ${understood}`
}

export function notRead({ left }: Pick<MessageContent, 'left'>): string {
  return `Not read: ${left.join(', ')}.`
}

/** The reply to a command. No agent gets a command, so the files with it are not read. */
export function commandReply(reply: string, { files = [], left = [] }: ChatMessage): string {
  const unread = [...(files.length > 0 ? ['the files of this message'] : []), ...left]
  return unread.length === 0 ? reply : `${reply}\n${notRead({ left: unread })}`
}

const nothing: ReadQuote = { quotes: [], left: [] }
/** Pauses between attempts to read the first message of a thread, milliseconds. */
const pauseMs = 1000
const maxPauseMs = 10_000
const maxTries = 3

/**
 * The first message of a thread. If it still cannot be fetched after a few attempts, Iris answers without it, and says
 * so.
 */
async function rootOf(
  { channelId, messageId }: ChatMessage,
  { platform, clock, signal }: ContentParts,
): Promise<ReadQuote> {
  if (platform?.threadRoot === undefined) return nothing
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted()
    try {
      return (await platform.threadRoot(channelId, messageId)) ?? nothing
    } catch (error) {
      signal.throwIfAborted()
      // A malformed response from the platform must not make Iris lose the message.
      const { kind, message, retryAfterMs } = error instanceof ChatFailure ? error : unreadable
      const mayPass = kind === 'later' || kind === 'unknown'
      if (!mayPass || tries === maxTries) return { quotes: [], left: [`${root} (${message})`] }
      await pause(clock, Math.min(Math.max(pauseMs, retryAfterMs), maxPauseMs), signal)
    }
  }
}

const root = 'the message that this thread begins with'
const unreadable = new ChatFailure('never', 'it cannot be read')
