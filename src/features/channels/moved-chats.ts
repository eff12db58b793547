import type { ChatChange, ChatMessage } from './chat-message.ts'
import { type ChatClick, ChatFailure, type ChatPlatform, type NewChatPost } from './chat-platform.ts'
import type { ChannelMove } from './rows/channel-changes.ts'

interface MovesParts {
  readonly moves: readonly ChannelMove[]
  /** Whether config.yaml lists a group by this id. */
  readonly isListed: (id: string) => boolean
  /** Stores a move. */
  readonly record: (move: ChannelMove) => void
  /** Whether message ids start over in the new chat, rather than continue. */
  readonly restartsIds: boolean
}

type Where = Pick<ChatMessage, 'channelId' | 'messageId'>

/**
 * Chats of one channel that continue under another id. Within Iris, such a chat keeps its first id, and therefore its
 * conversation. If message ids start over in the new chat, they are marked with the new chat's id: `7@-1001`.
 */
export class MovedChats {
  readonly #parts: MovesParts
  readonly #next = new Map<string, string>()
  readonly #before = new Map<string, string>()

  constructor(parts: MovesParts) {
    this.#parts = parts
    for (const move of parts.moves) this.#know(move)
  }

  /**
   * Records that a listed group continues under another id, as its platform reports. Returns false for any other chat.
   */
  move(from: string, to: string): boolean {
    if (from === to || this.#nowOf(to) === from) return false
    if (![from, this.#firstOf(from)].some((id) => this.#parts.isListed(id))) return false
    if (this.#next.get(from) === to) return true
    this.#parts.record({ from, to })
    this.#know({ from, to })
    return true
  }

  /** Translates ids from the platform to those used within Iris. */
  inward<T extends Where>(message: T): T {
    if (this.#before.size === 0) return message
    const { channelId, messageId } = message
    const [before, id, rest] = this.#divided(channelId)
    const first = this.#firstOf(id)
    if (first === id) return message
    return {
      ...message,
      channelId: `${before}${first}${rest}`,
      messageId: this.#parts.restartsIds ? `${messageId}@${id}` : messageId,
    }
  }

  message(message: ChatMessage): ChatMessage {
    if (this.#before.size === 0) return message
    const { groupId } = message
    const groups = [groupId, ...this.#allBefore(groupId)]
    return { ...this.inward(message), groupId: groups.find((id) => this.#parts.isListed(id)) ?? groupId }
  }

  change(change: ChatChange): ChatChange {
    return { ...this.inward(change), now: change.now && this.message(change.now) }
  }

  click(click: ChatClick): ChatClick {
    const { channelId: chatId, ...where } = this.inward({ channelId: click.chatId, messageId: click.messageId })
    return { ...click, chatId, ...where }
  }

  /**
   * Makes a request with the chat's current id, and repeats it if the platform reports that the chat has just moved.
   */
  async there<T>(channelId: string, request: (channelId: string) => Promise<T>): Promise<T> {
    const now = this.#placeOf(channelId)
    try {
      return await request(now)
    } catch (error) {
      const to = error instanceof ChatFailure ? error.movedTo : undefined
      if (to === undefined || !this.move(this.#divided(now)[1], to)) throw error
      return request(this.#placeOf(channelId))
    }
  }

  /**
   * The platform's id of a message in the chat's current place. Undefined if the message was written before the move.
   */
  messageIn(channelId: string, messageId: string): string | undefined {
    if (!this.#parts.restartsIds) return messageId
    const [id, in_] = messageId.split('@')
    return (in_ ?? this.#idIn(channelId)) === this.#idIn(this.#placeOf(channelId)) ? id : undefined
  }

  /** Iris's own id for a message written under the chat's current id. */
  named(channelId: string, messageId: string): string {
    const id = this.#idIn(this.#placeOf(channelId))
    return id === this.#idIn(channelId) || !this.#parts.restartsIds ? messageId : `${messageId}@${id}`
  }

  #know({ from, to }: ChannelMove): void {
    this.#next.set(from, to)
    this.#before.set(to, from)
  }

  #placeOf(channelId: string): string {
    const [before, id, rest] = this.#divided(channelId)
    return `${before}${this.#nowOf(id)}${rest}`
  }

  #idIn(channelId: string): string {
    return this.#divided(channelId)[1]
  }

  /**
   * Splits an id into the part before the chat's own id (Slack's workspace), the chat's own id, and the rest (a topic
   * or a thread).
   */
  #divided(channelId: string): readonly [before: string, id: string, rest: string] {
    const parts = channelId.split('/')
    const known = parts.findIndex((part) => this.#next.has(part) || this.#before.has(part))
    const at = Math.max(0, known)
    const [before, rest] = [parts.slice(0, at), parts.slice(at + 1)]
    return [before.map((part) => `${part}/`).join(''), parts[at]!, rest.map((part) => `/${part}`).join('')]
  }

  #nowOf(id: string): string {
    const next = this.#next.get(id)
    return next === undefined ? id : this.#nowOf(next)
  }

  #firstOf(id: string): string {
    return this.#allBefore(id).at(-1) ?? id
  }

  #allBefore(id: string): readonly string[] {
    const before = this.#before.get(id)
    return before === undefined ? [] : [before, ...this.#allBefore(before)]
  }
}

/** What to change in config.yaml. Iris does not change it by itself. */
export function moveRemedy(channel: string, { from, to }: ChannelMove): string {
  return `In config.yaml, write "${to}" in place of "${from}" under channels.${channel}.groups.`
}

/** A platform that finds moved chats at their current ids. */
export function throughMoves(platform: ChatPlatform, moves: MovedChats): ChatPlatform {
  const posting = async (post: NewChatPost, request: (post: NewChatPost) => Promise<string | undefined>) => {
    const { channelId, replyTo } = post
    const id = await moves.there(channelId, (now) =>
      request({ ...post, channelId: now, replyTo: replyTo && moves.messageIn(channelId, replyTo) }),
    )
    return id && moves.named(channelId, id)
  }
  const about = <T>(channelId: string, messageId: string, request: (now: string, id: string) => Promise<T>) =>
    moves.there(channelId, async (now) => {
      const id = moves.messageIn(channelId, messageId)
      if (id === undefined) throw new ChatFailure('gone', 'the message was written before the group got another id')
      return request(now, id)
    })
  const { typing, threadRoot } = platform
  return {
    ...platform,
    streamEveryMs: (channelId) => platform.streamEveryMs(channelId),
    post: async (post) => (await posting(post, (there) => platform.post(there)))!,
    postOnce: (post) => posting(post, (there) => platform.postOnce(there)),
    react: (channelId, messageId, reaction) =>
      about(channelId, messageId, (now, id) => platform.react(now, id, reaction)),
    ...(typing && { typing: (channelId: string) => moves.there(channelId, (now) => typing(now)) }),
    ...(threadRoot && {
      threadRoot: (channelId: string, messageId: string) => moves.there(channelId, (now) => threadRoot(now, messageId)),
    }),
    history: (channelId, limit) => moves.there(channelId, (now) => platform.history(now, limit)),
    edit: (channelId, messageId, text, isMarkdown) =>
      about(channelId, messageId, (now, id) => platform.edit(now, id, text, isMarkdown)),
  }
}
