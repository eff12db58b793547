import { DatabaseSync } from 'node:sqlite'
import { Channels } from '../../src/features/channels/channels.ts'
import type { ChatMessage } from '../../src/features/channels/chat-message.ts'
import type { ChatPlatform } from '../../src/features/channels/chat-platform.ts'
import type { ChannelsParts } from '../../src/features/channels/parts.ts'
import { ChannelPeople } from '../../src/features/channels/rows/channel-people.ts'
import { ChannelPosts } from '../../src/features/channels/rows/channel-posts.ts'
import { ChannelMessages } from '../../src/features/channels/rows/channels.ts'
import type { ChannelConfig } from '../../src/platform/config/config.ts'
import { makeTables } from '../../src/platform/store/database.ts'
import type { Store } from '../../src/platform/store/store.ts'
import { FakeClock } from './fake-clock.ts'

/** The outcome of one message. */
export interface Received {
  /** The text for the agent; undefined: it is not asked. */
  readonly asked: string | undefined
  /** The names of the files that it gets. */
  readonly files: readonly string[]
  /** Iris's own texts in the chat. */
  readonly said: readonly string[]
}

/** The core's part of a channel, on a store in memory, without agents: says what they would get. */
export class ChatDesk implements Disposable {
  readonly #channel: ChannelConfig
  readonly #channels: Channels
  readonly #database = new DatabaseSync(':memory:')
  #asked: { readonly message: string; readonly attachments?: readonly { readonly name: string }[] }[] = []

  /** Everybody may write, directly or in `group`. `root` gives the messages that threads begin with. */
  constructor(platform: string, people: readonly string[], root?: ChatPlatform['threadRoot']) {
    makeTables(this.#database)
    this.#channel = {
      name: 'shop',
      platform,
      team: 'backend',
      role: 'chat_bot',
      allow: people,
      approvers: [],
      groups: {},
      catchUpAge: 3_600_000,
      catchUpMessages: 50,
    } as unknown as ChannelConfig
    const store = this.#database as unknown as Store
    this.#channels = new Channels({
      config: () => ({ channels: new Map([['shop', this.#channel]]) }),
      clock: new FakeClock(),
      messages: new ChannelMessages(store),
      posts: new ChannelPosts(store),
      people: new ChannelPeople(store),
      log: { error: () => {}, warn: () => {}, info: () => {} },
      turns: {
        ask: async (asked: { readonly message: string; readonly alongside: (turnId: string) => void }) => {
          asked.alongside(`turn-${this.#asked.push(asked)}`)
          return { durable: async () => {} }
        },
        writing: () => [],
      },
      sessions: { ready: async () => undefined, taken: () => {}, find: () => undefined, begins: () => true },
      random: (length: number) => new Uint8Array(length),
      click: () => '',
      at: () => {},
    } as unknown as ChannelsParts)
    this.#channels.connect(this.#channel, {
      longestText: 1000,
      lengthOf: (text: string) => text.length,
      streamEveryMs: () => 1000,
      download: async () => Buffer.from('content'),
      ...(root !== undefined && { threadRoot: root }),
      // Nothing is posted: what waits to be is what is said.
      post: () => new Promise<string>(() => {}),
    } as unknown as ChatPlatform)
    this.#channels.caughtUp(this.#channel)
  }

  async receive(message: ChatMessage): Promise<Received> {
    this.#asked = []
    this.#database.exec(`DELETE FROM channel_posts; UPDATE channel_messages SET state = 'answered'`)
    await this.#channels.receive(this.#channel, message, new AbortController().signal)
    const [asked] = this.#asked
    const posts = this.#database.prepare('SELECT text FROM channel_posts WHERE turn IS NULL ORDER BY id').all()
    return {
      asked: asked?.message,
      files: (asked?.attachments ?? []).map(({ name }) => name),
      said: posts.map(({ text }) => String(text)),
    }
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}
