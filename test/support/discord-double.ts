import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { ChatDouble, type ChatFault, type ChatPost, type Json, type Reply, type Saying } from './chat-double.ts'

const me = { id: '900000000000000001', username: 'shop_bot', discriminator: '0', bot: true }
const guild = '800000000000000001'
const messageContent = 1 << 15
const epoch = 1_420_070_400_000
const fewMinutesMs = 180_000
/** How much of one chat's history Discord gives a bot in a time. */
const pagesAtOnce = 5
const pagesEveryMs = 1000

interface Session {
  readonly id: string
  sequence: number
  readonly events: Json[]
  socket: WebSocket | undefined
}

/** Discord's gateway (HELLO, IDENTIFY, RESUME, heartbeats) and its REST API, with their refusals. */
export class DiscordDouble extends ChatDouble {
  /** One of its own, since daemons lock theirs. */
  readonly token = `OTAwMDAw.a-token.that-is-not-one-${randomUUID()}`
  /** How connections began. */
  readonly begun: ('identify' | 'resume')[] = []
  /** Whether its owner has switched on "Message Content Intent". */
  givesContent = true
  /** Events that the gateway withholds for now. */
  withholds: 'HELLO' | 'READY' | 'GUILD_CREATE' | undefined
  /** How many connections the gateway has accepted. */
  accepted = 0
  readonly #groups: readonly string[]
  #showsContent = false
  readonly #history: (Json & { readonly id: string; readonly channel_id: string })[] = []
  readonly #nonces = new Map<string, { readonly id: string; readonly at: number }>()
  readonly #chats = new Set<string>()
  /** The chats that are no direct messages. */
  readonly #inGuild = new Set<string>()
  readonly #pages = new Map<string, { readonly until: number; left: number }>()
  #sessions: Session[] = []
  #next = 1
  #last: Json | undefined

  static start(now: () => number = Date.now, groups: readonly string[] = []): Promise<DiscordDouble> {
    return new DiscordDouble(now, groups).listen()
  }

  private constructor(now: () => number, groups: readonly string[]) {
    super(now)
    this.#groups = groups
    for (const group of groups) this.#chats.add(group)
  }

  config() {
    const files = { 'discord-token': this.token }
    return { entry: { platform: 'discord', tokenFile: 'discord-token', apiRoot: this.url }, files }
  }

  /** The channel of someone's direct messages. */
  static direct(person: string): string {
    return `7${person.slice(1)}`
  }

  say(text: string, { from = '100000000000000042', chat, thread, mentions = false, ...more }: Saying = {}): string {
    const { isBot = false, name = 'Ada', at = this.now(), files = [], forwards, repliesTo, as = {} } = more
    const place = thread ?? chat ?? DiscordDouble.direct(from)
    this.#chats.add(place)
    const message = {
      id: this.#id(at),
      channel_id: place,
      type: 0,
      content: mentions ? `<@${me.id}> ${text}` : text,
      tts: false,
      author: { id: from, username: name, global_name: name, bot: isBot, discriminator: '0' },
      mentions: mentions ? [me] : [],
      mention_roles: [],
      embeds: [],
      pinned: false,
      attachments: files.map((file) => ({
        id: this.#id(at),
        filename: file.name,
        size: file.content.length,
        url: this.kept(file),
      })),
      timestamp: new Date(at).toISOString(),
      edited_timestamp: null,
      mention_everyone: false,
      ...(forwards !== undefined && this.#passedOn(forwards.text, place)),
      ...(repliesTo !== undefined && this.#reply(repliesTo)),
      ...as,
    }
    this.#history.push(message)
    if (chat !== undefined) this.#inGuild.add(place)
    this.#last = { ...message, ...(chat !== undefined && { guild_id: guild }) }
    this.#dispatch('MESSAGE_CREATE', this.#last)
    return message.id
  }

  #reply(id: string): Json {
    const found = this.#history.find((one) => one.id === id)
    const message_reference = { type: 0, message_id: id, channel_id: found?.channel_id }
    return { type: 19, message_reference, referenced_message: found === undefined ? null : this.#shown(found) }
  }

  /** Without "Message Content Intent" the texts of others are empty, outside of direct messages. */
  #shown(message: Json): Json {
    const { content, mentions, channel_id: chat } = message
    const isFor = (mentions as Json[]).includes(me) || String(chat).startsWith('7')
    return { ...message, content: this.#showsContent || isFor ? content : '' }
  }

  /** Discord says nothing of who wrote it. */
  #passedOn(content: string, channel_id: string): Json {
    const of = { type: 0, content, mentions: [me], mention_roles: [], attachments: [], embeds: [], flags: 0 }
    const message = { ...of, timestamp: new Date(this.now()).toISOString(), edited_timestamp: null }
    const message_reference = { type: 1, message_id: this.#id(this.now()), channel_id }
    return { message_reference, message_snapshots: [{ message }] }
  }

  edit(id: string, text: string): void {
    const index = this.#history.findIndex((one) => one.id === id)
    const after = { ...this.#history[index]!, content: text, edited_timestamp: new Date(this.now()).toISOString() }
    this.#history[index] = { ...after, mentions: text.includes(`<@${me.id}>`) ? [me] : [] }
    this.#dispatch('MESSAGE_UPDATE', { ...this.#history[index], ...this.#guildOf(after.channel_id) })
  }

  preview(id: string): void {
    const message = this.#history.find((one) => one.id === id)!
    const embeds = [{ type: 'link', url: 'https://shop.example', title: 'Shop' }]
    this.#dispatch('MESSAGE_UPDATE', { ...message, embeds, ...this.#guildOf(message.channel_id) })
  }

  #guildOf(chat: string): Json {
    return this.#inGuild.has(chat) ? { guild_id: guild } : {}
  }

  remove(id: string): void {
    const index = this.#history.findIndex((one) => one.id === id)
    const [gone] = this.#history.splice(index, 1)
    const { channel_id } = gone!
    this.#dispatch('MESSAGE_DELETE', { id, channel_id, ...this.#guildOf(channel_id) })
  }

  repeat(): void {
    this.#dispatch('MESSAGE_CREATE', this.#last!)
  }

  /** A thread of a channel appears. */
  openThread(id: string, parent: string): void {
    this.#chats.add(id)
    this.#dispatch('THREAD_CREATE', {
      id,
      type: 11,
      guild_id: guild,
      parent_id: parent,
      name: 'thread',
      member_count: 1,
      message_count: 0,
      thread_metadata: { archived: false, auto_archive_duration: 60, archive_timestamp: '2026-01-01T00:00:00Z' },
    })
  }

  click({ chat, id }: Pick<ChatPost, 'chat' | 'id'>, value: string, from: string): void {
    const user = { id: from, username: 'somebody', global_name: 'The owner', discriminator: '0' }
    const message = {
      id,
      channel_id: chat,
      type: 0,
      content: '',
      author: me,
      mentions: [],
      attachments: [],
      embeds: [],
    }
    this.#dispatch('INTERACTION_CREATE', {
      id: this.#id(this.now()),
      application_id: me.id,
      type: 3,
      token: 'of-the-interaction',
      version: 1,
      data: { custom_id: value, component_type: 2 },
      channel_id: chat,
      channel: { id: chat, type: 1 },
      user,
      message: { ...message, timestamp: new Date(this.now()).toISOString(), components: [] },
      locale: 'en-US',
      app_permissions: '0',
      entitlements: [],
      authorizing_integration_owners: {},
    })
  }

  /** An event with any content. */
  raw(type: string, data: Json): void {
    this.#dispatch(type, data)
  }

  lose(isForgotten: boolean): void {
    if (isForgotten) this.#sessions = []
    for (const socket of this.sockets) socket.terminate()
  }

  protected connected(socket: WebSocket): void {
    const send = (payload: Json): void => socket.send(JSON.stringify(payload))
    this.accepted += 1
    if (this.withholds !== 'HELLO') send({ op: 10, d: { heartbeat_interval: 41_250 } })
    socket.on('message', (data) => {
      const { op, d } = JSON.parse(String(data)) as { op: number; d: Json }
      if (op === 1) return send({ op: 11 })
      if (op !== 2 && op !== 6) return
      if (d['token'] !== this.token) return socket.close(4004)
      if (op === 6) return this.#resume(socket, d)
      const wantsContent = (Number(d['intents']) & messageContent) > 0
      if (wantsContent && !this.givesContent) return socket.close(4014)
      this.#showsContent = wantsContent
      this.begun.push('identify')
      if (this.withholds === 'READY') return
      const session: Session = { id: `session-${this.#next++}`, sequence: 0, events: [], socket }
      this.#sessions.push(session)
      const ready = { v: 10, user: me, guilds: [{ id: guild, unavailable: true }], session_id: session.id }
      const resume_gateway_url = `${this.url.replace('http', 'ws')}/gateway`
      this.#send(session, 'READY', { ...ready, resume_gateway_url, application: { id: me.id, flags: 0 } })
      if (this.withholds !== 'GUILD_CREATE') this.#send(session, 'GUILD_CREATE', this.#guild())
    })
  }

  giveGuilds(): void {
    this.withholds = undefined
    this.#dispatch('GUILD_CREATE', this.#guild())
  }

  #guild(): Json {
    const channels = this.#groups.map((id) => ({ id, type: 0, name: 'general', permission_overwrites: [] }))
    const lists = { channels, threads: [], members: [], roles: [], emojis: [], stickers: [], presences: [] }
    const rest = { voice_states: [], stage_instances: [], guild_scheduled_events: [], soundboard_sounds: [] }
    return { id: guild, name: 'Shop', features: [], ...lists, ...rest }
  }

  /** A message reaches only who has identified himself. */
  override get isConnected(): boolean {
    return this.begun.length > 0 && super.isConnected
  }

  #resume(socket: WebSocket, { session_id: id, seq }: Json): void {
    const session = this.#sessions.find((one) => one.id === id)
    if (session === undefined) return socket.send(JSON.stringify({ op: 9, d: false }))
    this.begun.push('resume')
    session.socket = socket
    for (const event of session.events) if (Number(event['s']) > Number(seq)) socket.send(JSON.stringify(event))
    this.#send(session, 'RESUMED', {})
  }

  #dispatch(type: string, data: Json): void {
    for (const session of this.#sessions) this.#send(session, type, data)
  }

  #send(session: Session, type: string, data: Json): void {
    session.sequence += 1
    const event = { op: 0, t: type, s: session.sequence, d: data }
    session.events.push(event)
    session.socket?.send(JSON.stringify(event))
  }

  protected actionOf(method: string, path: string, body: Json) {
    if (!path.includes('/messages')) return 'other'
    if (body['file'] !== undefined) return 'file'
    return method === 'POST' ? 'post' : method === 'PATCH' ? 'edit' : 'history'
  }

  protected refusal(fault: Exclude<ChatFault, 'drop' | 'refuse'>): Reply {
    if (fault === '500') return { status: 500, body: { message: '500: Internal Server Error', code: 0 } }
    if (fault === '403') return refused(403, 50_001, 'Missing Access')
    const body = { message: 'You are being rate limited.', retry_after: 1, global: false }
    return { status: 429, headers: { 'retry-after': '1', 'x-ratelimit-scope': 'user' }, body }
  }

  protected answer(method: string, url: URL, body: Json, authorization: string): Reply {
    if (url.pathname.includes('/interactions/')) {
      this.shown.push(String((body['data'] as Json)['content']))
      return { status: 204, body: {} }
    }
    if (authorization !== `Bot ${this.token}`) return refused(401, 0, '401: Unauthorized')
    const path = url.pathname.replace('/api/v10', '')
    if (path === '/users/@me') return { body: me }
    if (path === '/applications/@me') return { body: { id: me.id, flags: this.givesContent ? 1 << 18 : 0 } }
    if (path === '/gateway/bot') {
      const limit = { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 }
      const gateway = `${this.url.replace('http', 'ws')}/gateway`
      return { body: { url: gateway, shards: 1, session_start_limit: limit } }
    }
    if (path === '/users/@me/channels') {
      const id = DiscordDouble.direct(String(body['recipient_id']))
      this.#chats.add(id)
      return { body: { id, type: 1 } }
    }
    const [, seen] = /^\/channels\/(\d+)$/.exec(path) ?? []
    if (seen !== undefined && this.#chats.has(seen)) return { body: { id: seen, type: 0 } }
    const [, reacted, emoji = ''] = /^\/channels\/\d+\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/.exec(path) ?? []
    if (reacted !== undefined) {
      this.reactions.push(`${reacted} ${decodeURIComponent(emoji)}`)
      return { status: 204, body: {} }
    }
    const [, typed] = /^\/channels\/(\d+)\/typing$/.exec(path) ?? []
    if (typed !== undefined) {
      this.typing.push(typed)
      return { status: 204, body: {} }
    }
    const [, chat = '', id] = /^\/channels\/(\d+)\/messages(?:\/(\d+))?$/.exec(path) ?? []
    if (!this.#chats.has(chat)) return refused(404, 10_003, 'Unknown Channel')
    if (method === 'GET' && id !== undefined) {
      const found = this.#history.find((one) => one.channel_id === chat && one.id === id)
      return found === undefined ? refused(404, 10_008, 'Unknown Message') : { body: this.#shown(found) }
    }
    if (method === 'GET') return this.#page(chat, url.searchParams)
    if (body['file'] !== undefined) return this.#post(chat, body)
    if (typeof body['content'] !== 'string' || body['content'].trim() === '') {
      return refused(400, 50_006, 'Cannot send an empty message')
    }
    if (body['content'].length > 2000) return refused(400, 50_035, 'Invalid Form Body')
    return method === 'POST' ? this.#post(chat, body) : this.#edit(chat, id ?? '', body)
  }

  #page(chat: string, query: URLSearchParams): Reply {
    const now = Date.now()
    const known = this.#pages.get(chat)
    const pages = known !== undefined && known.until > now ? known : { until: now + pagesEveryMs, left: pagesAtOnce }
    this.#pages.set(chat, pages)
    if (pages.left === 0) return this.refusal('429')
    pages.left -= 1
    const headers = {
      'x-ratelimit-limit': String(pagesAtOnce),
      'x-ratelimit-remaining': String(pages.left),
      'x-ratelimit-reset-after': String((pages.until - now) / 1000),
      'x-ratelimit-bucket': 'messages',
    }
    return { body: this.#after(chat, query), headers }
  }

  #after(chat: string, query: URLSearchParams): Json[] {
    const after = BigInt(query.get('after') ?? '0')
    const limit = Number(query.get('limit') ?? 50)
    if (!query.has('after'))
      return this.#history
        .filter((one) => one.channel_id === chat)
        .slice(-limit)
        .toReversed()
    const found = this.#history.filter(({ channel_id: place, id }) => place === chat && BigInt(id) > after)
    // The oldest ones after it, the newest of them first.
    return found.slice(0, limit).toReversed()
  }

  #post(chat: string, body: Json): Reply {
    const file = body['file'] as DiscordDouble['documents'][number] | undefined
    const { content = `[${file?.name}]`, nonce, enforce_nonce: enforced, message_reference: reference } = body
    const known = this.#nonces.get(String(nonce))
    const isKnown = known !== undefined && this.now() - known.at < fewMinutesMs
    if (enforced === true && isKnown) return { body: { id: known.id } }
    const id = this.#id(this.now())
    if (nonce !== undefined) this.#nonces.set(String(nonce), { id, at: this.now() })
    if (file !== undefined) this.documents.push(file)
    const replyTo = (reference as { message_id?: string } | undefined)?.message_id
    this.posts.push({ chat, id, text: String(content), replyTo, before: [], buttons: buttonsIn(body) })
    return { body: { id, channel_id: chat, content } }
  }

  #edit(chat: string, id: string, body: Json): Reply {
    const { content } = body
    const post = this.posts.find((each) => each.chat === chat && each.id === id)
    if (post === undefined) return refused(404, 10_008, 'Unknown Message')
    post.before.push(post.text)
    post.text = String(content)
    if ('components' in body) post.buttons = buttonsIn(body)
    return { body: { id, content } }
  }

  #id(at: number): string {
    return String((BigInt(Math.floor(at) - epoch) << 22n) + BigInt(this.#next++))
  }
}

function buttonsIn({ components }: Json): string[] {
  const rows = (components ?? []) as { components: { custom_id: string }[] }[]
  return rows.flatMap((row) => row.components.map((button) => button.custom_id))
}

function refused(status: number, code: number, message: string): Reply {
  return { status, body: { message, code } }
}
