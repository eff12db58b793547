import {
  ApplicationFlags,
  Client,
  DiscordAPIError,
  Events,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  GatewayIntentBits,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  Options,
  REST,
  type RESTOptions,
  Routes,
} from 'discord.js'
import type { WayOut } from '../../../base/lib/proxy-access.ts'
import type { ChatChange, ChatMessage } from '../chat-message.ts'
import { type ChatAdapter, type ChatClick, type ChatInbox, type Inspection, readButton } from '../chat-platform.ts'
import type { DiscordMessage } from './discord-message.ts'
import { discordPlatform, failureOf } from './discord-platform.ts'
import { FinalEnd } from './final-end.ts'
import { guardPackets } from './guarded-packets.ts'
import { catchUp } from './older-messages.ts'
import { idAt, laterOf, readMessage } from './read-message.ts'

interface DiscordParts {
  readonly token: string
  readonly apiRoot: string | undefined
  /** If undefined, requests go directly to the platform. */
  readonly wayOut?: WayOut | undefined
  readonly groups: readonly string[]
  /**
   * At least one channel is read even without a mention of the bot. Discord gives the text of such messages only on
   * request.
   */
  readonly readsAll: boolean
  readonly now: () => number
}

/** The fields of an interaction of Discord that Iris reads. */
interface Interaction {
  readonly id: string
  readonly token: string
  readonly type: number
  readonly data?: { readonly custom_id?: string }
  readonly channel_id?: string
  readonly message?: { readonly id: string }
  readonly member?: { readonly user: { readonly id: string } }
  readonly user?: { readonly id: string }
}

/** The fields that identify the earlier message in events about it. */
interface Written {
  readonly id: string
  readonly channel_id: string
  readonly guild_id?: string | undefined
}

/** How long the platform may take to answer one request, milliseconds. */
const timeoutMs = 30_000

/**
 * The adapter of one bot. For about a minute after a disconnection, Discord replays missed messages (RESUME). After a
 * longer time, Iris reads the history of the chats.
 */
export function discordAdapter(parts: DiscordParts): ChatAdapter {
  const api = `${(parts.apiRoot ?? 'https://discord.com').replace(/\/+$/, '')}/api`
  // discord.js enforces discord.com's rate limit before it sends a request; other servers report their own limits.
  const ownLimit = parts.apiRoot === undefined ? {} : { globalRequestsPerSecond: Number.POSITIVE_INFINITY }
  const options = {
    api,
    version: '10',
    retries: 0,
    timeout: timeoutMs,
    rejectOnRateLimit: () => true,
    ...ownLimit,
    ...(parts.wayOut && { makeRequest: requestBy(parts.wayOut) }),
  }
  const withRest = async <T>(use: (rest: REST) => Promise<T>): Promise<T> => {
    const rest = new REST(options).setToken(parts.token)
    try {
      return await use(rest)
    } finally {
      // The timers of `rest` would keep the whole adapter in memory until the daemon ends.
      rest.clearHashSweeper()
      rest.clearHandlerSweeper()
    }
  }
  return {
    problem,
    listen: (inbox, signal) => withRest((rest) => new Gateway(parts, rest, options, inbox).listen(signal)),
    inspect: (signal) => withRest((rest) => inspect(parts, rest, signal)),
  }
}

/** Used because discord.js has its own undici, so a dispatcher cannot be passed. */
function requestBy({ fetch }: WayOut): RESTOptions['makeRequest'] {
  return (url, init) => fetch(url, init as unknown as RequestInit)
}

/** The flags of an application that may read the text of messages: with and without Discord's review. */
const readsTexts = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited

async function inspect({ groups, readsAll }: DiscordParts, rest: REST, signal: AbortSignal): Promise<Inspection> {
  const { username } = (await rest.get(Routes.user(), { signal })) as { username: string }
  const { flags = 0 } = (await rest.get(Routes.currentApplication(), { signal })) as { flags?: number }
  const missing: string[] = []
  if (readsAll && (flags & readsTexts) === 0) {
    missing.push('It may not read texts: switch on "Message Content Intent" in its developer portal.')
  }
  for (const group of groups) {
    const isSeen = await rest.get(Routes.channel(group), { signal }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof DiscordAPIError && (error.status === 403 || error.status === 404)) return false
        throw error
      },
    )
    if (!isSeen) missing.push(`It does not see the channel ${group}: invite it, and let it view the channel.`)
  }
  return { as: username, missing }
}

/** One connection to the gateway. */
class Gateway {
  readonly #parts: DiscordParts
  readonly #rest: REST
  readonly #inbox: ChatInbox
  readonly #client: Client
  readonly #directChats = new Map<string, string>()
  #me = { id: '', username: '' }
  /** The histories of the chats will be read, and they contain the messages that arrive now. */
  #isBehind = true
  #isOver = false

  constructor(parts: DiscordParts, rest: REST, options: object, inbox: ChatInbox) {
    this.#parts = parts
    this.#rest = rest
    this.#inbox = inbox
    const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits
    this.#client = new Client({
      intents: [Guilds, GuildMessages, DirectMessages, ...(parts.readsAll ? [MessageContent] : [])],
      rest: options,
      ws: { buildStrategy: (manager) => new FinalEnd(manager, () => this.#isOver, parts.wayOut) },
      makeCache: Options.cacheWithLimits({ MessageManager: 0, PresenceManager: 0, ReactionManager: 0, UserManager: 1 }),
    })
  }

  async listen(signal: AbortSignal): Promise<void> {
    const [client, inbox] = [this.#client, this.#inbox]
    this.#me = (await this.#rest.get(Routes.user(), { signal })) as { id: string; username: string }
    inbox.open(discordPlatform(this.#rest, { ...this.#parts, me: this.#me.id }))
    if (inbox.cursor() === '0') inbox.passed(idAt(this.#parts.now()))
    const ended = new Promise<void>((resolve, reject) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve())
      client.on(Events.ShardDisconnect, ({ code }) => reject(new GatewayClosed(code)))
      client.on(Events.Error, reject)
    })
    // The promise may still reject after the login has rejected.
    ended.catch(() => {})
    const connected = (): void => inbox.set({ state: 'connected', as: this.#me.username })
    client.on(Events.ShardError, () => {})
    client.on(Events.ShardReconnecting, () => inbox.set({ state: 'retrying', why: 'the connection was lost' }))
    client.on(Events.ShardResume, connected)
    client.on(Events.ShardReady, () => {
      connected()
      this.#catchUp()
    })
    guardPackets(client, inbox)
    // The library does not catch errors in listeners either.
    const on = <T>(event: GatewayDispatchEvents, take: (data: T) => unknown): unknown =>
      client.ws.on(event, (data: T) => void inbox.readable(() => take(data)))
    on(GatewayDispatchEvents.Ready, () => (this.#isBehind = true))
    on<DiscordMessage & Written>(GatewayDispatchEvents.MessageCreate, (data) => this.#receive(data, !data.guild_id))
    const edited = (data: Partial<DiscordMessage> & Written): void => this.#change(() => this.#edited(data))
    const deleted = ({ ids, ...of }: Written & { readonly ids?: readonly string[] }): void => {
      for (const id of ids ?? [of.id]) this.#change(() => this.#deleted({ ...of, id }))
    }
    on(GatewayDispatchEvents.MessageUpdate, edited)
    on(GatewayDispatchEvents.MessageDelete, deleted)
    on(GatewayDispatchEvents.MessageDeleteBulk, deleted)
    on<Interaction>(GatewayDispatchEvents.InteractionCreate, (data) => void this.#click(data))
    try {
      await Promise.race([client.login(this.#parts.token), ended])
      await ended
    } finally {
      this.#isOver = true
      await client.destroy()
    }
  }

  #receive(data: DiscordMessage, isDirect: boolean): void {
    const message = this.#inbox.readable(() => this.#now(data, isDirect))
    if (message === undefined) return
    void this.#inbox.take(message).then((isStored) => {
      if (isStored || this.#isBehind) return
      this.#isBehind = true
      this.#catchUp()
    })
  }

  /** Undefined for messages that nobody wrote, and for messages that will be read from the history. */
  #now(data: DiscordMessage, isDirect: boolean): ChatMessage | undefined {
    // Iris reads no history of a stranger's chat.
    if (this.#isBehind && !(isDirect && !this.#inbox.people().includes(data.author.id))) return undefined
    // The cursor stays where it is until all chats have been read.
    return this.#read(data, isDirect, this.#isBehind ? this.#inbox.cursor() : laterOf(this.#inbox.cursor(), data.id))
  }

  /** Discord has no acknowledgements: a change that cannot be stored now is lost with the connection. */
  #change(read: () => ChatChange | undefined): void {
    const change = this.#inbox.readable(read)
    if (change !== undefined) void this.#inbox.change(change)
  }

  /** Undefined for an edit that does not change the words, such as an added link preview. */
  #edited(data: Partial<DiscordMessage> & Written): ChatChange | undefined {
    if (!data.edited_timestamp || data.author === undefined || data.content === undefined) return undefined
    const [isDirect, cursor] = [data.guild_id === undefined, this.#inbox.cursor()]
    const now = this.#read({ type: 0, mentions: [], ...data } as DiscordMessage, isDirect, cursor)
    return now && { ...now, cursor: undefined, version: Date.parse(data.edited_timestamp), now }
  }

  #deleted({ id, channel_id: channel, guild_id: guild }: Written): ChatChange {
    const parent = this.#parentOf(channel)
    const channelId = parent === undefined ? channel : `${parent}/${channel}`
    const place = { channelId, isDirect: guild === undefined, senderId: '', messageId: id }
    return { ...place, cursor: undefined, version: this.#parts.now(), now: undefined }
  }

  async #click(interaction: Interaction): Promise<void> {
    const clicked = this.#inbox.readable(() => clickIn(interaction))
    if (clicked === undefined) return
    const content = this.#inbox.click(clicked)
    const reply = { type: InteractionResponseType.ChannelMessageWithSource }
    const body = { ...reply, data: { content, flags: MessageFlags.Ephemeral, allowed_mentions: { parse: [] } } }
    const route = Routes.interactionCallback(interaction.id, interaction.token)
    // Only the person who clicked sees these words; nothing is lost if they do not arrive.
    await this.#rest.post(route, { body, auth: false }).catch(() => {})
  }

  #read(data: DiscordMessage, isDirect: boolean, cursor: string): ChatMessage | undefined {
    const { readsAll: readsTexts } = this.#parts
    return readMessage(data, { me: this.#me.id, readsTexts, isDirect, parent: this.#parentOf(data.channel_id), cursor })
  }

  /** The channel to which a thread belongs. */
  #parentOf(id: string): string | undefined {
    const channel = this.#client.channels.cache.get(id)
    return channel?.isThread() ? (channel.parentId ?? undefined) : undefined
  }

  #catchUp(): void {
    catchUp({
      parts: this.#parts,
      rest: this.#rest,
      inbox: this.#inbox,
      directChats: this.#directChats,
      begins: () => {
        this.#isBehind = false
      },
      threadsOf: (group) => {
        const channels = [...this.#client.channels.cache.values()]
        return channels.flatMap((one) => (one.isThread() && one.parentId === group ? one.id : []))
      },
      read: (data, isDirect, cursor) => this.#read(data, isDirect, cursor),
    })
  }
}

function clickIn({ type, data, channel_id: chatId, message, member, user }: Interaction): ChatClick | undefined {
  const button = type === InteractionType.MessageComponent ? readButton(data?.custom_id) : undefined
  const senderId = member?.user.id ?? user?.id
  if (button === undefined || senderId === undefined || message === undefined || chatId === undefined) return undefined
  return { ...button, senderId, chatId, messageId: message.id }
}

/** The gateway has ended the connection for good. */
class GatewayClosed extends Error {
  readonly code: number

  constructor(code: number) {
    super(`Discord ended the connection (${code})`)
    this.code = code
  }
}

const refusalPauseMs = 60_000

function problem(error: unknown): ReturnType<ChatAdapter['problem']> {
  if (error instanceof GatewayClosed) {
    const why =
      error.code === GatewayCloseCodes.DisallowedIntents
        ? 'Discord does not give this bot the text of messages: switch on "Message Content Intent" in its developer portal'
        : error.message
    return { state: { state: 'refused', why }, pauseMs: refusalPauseMs }
  }
  const { message, retryAfterMs: pauseMs } = failureOf(error)
  if (error instanceof DiscordAPIError && error.status === 401) {
    return { state: { state: 'refused', why: `Discord does not know the token (${message})` }, pauseMs }
  }
  return { state: { state: 'retrying', why: message }, pauseMs }
}
