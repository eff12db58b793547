import { IrisError } from '../../base/protocol/error.ts'
import { roleOfThread } from '../../base/protocol/role.ts'
import type { Config } from '../../platform/config/config.ts'
import { type ChatToolName, roleOf } from '../../platform/config/roles.ts'
import { plainName } from '../attachments/attachments.ts'
import { channelIdOf, shownName } from './chat-message.ts'
import { ChatFailure, type ChatPlatform, type PastMessage } from './chat-platform.ts'
import { cutToFit } from './cut-text.ts'
import type { ChannelsParts } from './parts.ts'
import type { ChannelMessageRow } from './rows/channels.ts'

export interface ChatToolsParts extends Pick<ChannelsParts, 'config' | 'clock' | 'posts' | 'messages'> {
  readonly platformOf: (source: string) => ChatPlatform | undefined
  readonly work: (source: string, chat: string) => void
}

/** An agent's turn. Iris finds the asking chat by this turn, never by what the agent says. */
interface Asked {
  readonly turnId: string
  readonly thread: string
}

/** Further posts in one turn are refused, so that an agent in a loop cannot fill a chat. */
const maxReplies = 20
/** The number of turns whose posts are counted; the oldest is forgotten, so that memory use is bounded. */
const maxCountedTurns = 1000
/** The limit for one message in the history that an agent reads. */
const maxHistoryCharacters = 2000
/** The most bytes of files that may wait to be posted: in one chat, and in all chats. */
const maxWaitingBytesOfChat = 40 * 1024 ** 2
const maxWaitingBytes = 256 * 1024 ** 2

const does: Readonly<Record<ChatToolName, string>> = {
  reply: 'reply in chats',
  react: 'react in chats',
  history: 'read the history of chats',
  file: 'send files to chats',
}

/** What an agent can do in the chat that asks it, and in no other chat, as far as its role allows. */
export class ChatTools {
  readonly #parts: ChatToolsParts
  readonly #replies = new Map<string, number>()

  constructor(parts: ChatToolsParts) {
    this.#parts = parts
  }

  /** Posts messages in addition to the answer that is being written. Returns the number of posts. Throws IrisError. */
  reply(asked: Asked, text: string): number {
    const { posts, messages, clock, work } = this.#parts
    const { source, chat, messageId } = this.#chatOf(asked, 'reply')
    const platform = this.#platformOf(source)
    const pieces = cutToFit(text.toWellFormed(), platform)
    if (pieces.length === 0) throw refused('This text contains no visible characters.')
    this.#count(asked, pieces.length)
    messages.atomically(() => {
      for (const [piece, part] of pieces.entries()) {
        const replyTo = piece === 0 ? messageId : null
        posts.add({ source, chat, turn: null, text: part, replyTo, createdAt: clock.now(), aside: 1 })
      }
    })
    work(source, chat)
    return pieces.length
  }

  /**
   * Checks whether the agent may send files, and throws IrisError if not. A role that cannot read files cannot send
   * any.
   */
  maySendFile(asked: Asked): void {
    this.#chatOf(asked, 'file')
    const name = roleOfThread(asked.thread)
    const tools = name === undefined ? 'all' : roleOf(this.#parts.config(), name).tools
    if (tools === 'all' || tools.includes('Read')) return
    throw new IrisError(
      'not_allowed',
      `The role "${name}" may not read files, so it cannot send any.`,
      'Answer without it.',
    )
  }

  /**
   * Posts a file in addition to the answer that is being written. Returns the name that people see. Throws IrisError.
   */
  sendFile(asked: Asked, path: string, content: Uint8Array): string {
    const { posts, messages, clock, work } = this.#parts
    this.maySendFile(asked)
    const { source, chat, messageId } = this.#chatOf(asked, 'file')
    this.#platformOf(source)
    if (content.length === 0) throw refused('The file is empty: platforms refuse it.')
    const name = plainName(path)
    const { ofChat, total } = posts.fileBytes(source, chat)
    if (ofChat + content.length > maxWaitingBytesOfChat || total + content.length > maxWaitingBytes)
      throw new IrisError(
        'limited',
        'Too many files are waiting to be posted.',
        'Answer without the file, or send it later.',
      )
    this.#count(asked, 1)
    messages.atomically(() =>
      posts.addFile({ source, chat, replyTo: messageId, createdAt: clock.now() }, name, content),
    )
    work(source, chat)
    return name
  }

  /** Throws IrisError. */
  async react(asked: Asked, reaction: string): Promise<void> {
    const { source, chat, messageId } = this.#chatOf(asked, 'react')
    try {
      await this.#platformOf(source).react(channelIdOf(chat), messageId, reaction)
    } catch (error) {
      if (!(error instanceof ChatFailure)) throw error
      throw refused(`The platform did not accept the reaction: ${error.message}.`)
    }
  }

  /** Oldest first. Throws IrisError. */
  async history(asked: Asked, limit: number): Promise<PastMessage[]> {
    const { source, chat } = this.#chatOf(asked, 'history')
    try {
      const found = await this.#platformOf(source).history(channelIdOf(chat), limit)
      // Telegram shows bots no history, so Iris returns its own record of messages and answers.
      return (found ?? this.#parts.messages.past(source, chat, limit)).map((one) => ({
        ...one,
        name: shownName(one.name),
        text: one.text.slice(0, maxHistoryCharacters).toWellFormed(),
      }))
    } catch (error) {
      if (!(error instanceof ChatFailure)) throw error
      throw refused(`The platform did not return the history: ${error.message}.`)
    }
  }

  #count({ turnId }: Asked, more: number): void {
    const count = (this.#replies.get(turnId) ?? 0) + more
    if (count > maxReplies) throw refused(`Besides the answer, you can post at most ${maxReplies} times.`)
    this.#replies.set(turnId, count)
    const [oldest] = this.#replies.keys()
    if (this.#replies.size > maxCountedTurns && oldest !== undefined) this.#replies.delete(oldest)
  }

  #chatOf({ turnId, thread }: Asked, tool: ChatToolName): ChannelMessageRow {
    const row = this.#parts.messages.ofTurn(turnId)
    if (row === undefined) throw refused('The message that you answer did not come from a chat.')
    const name = roleOfThread(thread)
    const config: Config = this.#parts.config()
    if (name !== undefined && !roleOf(config, name).chatTools.includes(tool)) {
      throw new IrisError('not_allowed', `The role "${name}" may not ${does[tool]}.`, 'Answer without it.')
    }
    return row
  }

  #platformOf(source: string): ChatPlatform {
    const platform = this.#parts.platformOf(source)
    if (platform === undefined) throw refused('The chat is not connected now.')
    return platform
  }
}

function refused(why: string): IrisError {
  return new IrisError('invalid_input', why, 'Answer without it.')
}
