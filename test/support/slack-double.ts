import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { ChatDouble, type ChatFault, type ChatPost, type Json, type Reply, type Saying } from './chat-double.ts'

const me = { user: 'U0SHOPBOT', team: 'T0SHOP' }

interface Message extends Json {
  readonly ts: string
  readonly channel: string
  readonly thread_ts?: string
}

/** Slack's Web API and Socket Mode, with their refusals. An envelope that is not acknowledged is delivered again. */
export class SlackDouble extends ChatDouble {
  /** Tokens of its own: daemons of other tests have a lock for theirs. */
  readonly token = `xoxb-a-token-that-is-not-one-${randomUUID()}`
  readonly appToken = `xapp-a-token-that-is-not-one-${randomUUID()}`
  /** The rights that the owner gave the bot. */
  scopes = [
    'app_mentions:read',
    'channels:history',
    'chat:write',
    'files:read',
    'files:write',
    'groups:history',
    'im:history',
    'im:write',
    'reactions:write',
  ]
  refusesFormat = false
  /** How many pages of histories Slack gives a bot in a second. */
  historyPerSecond = Infinity
  /** How many it gives until someone gives more; threads do not count. */
  pagesLeft = Infinity
  /** Direct chats that were opened, and histories that were given, such as `history C0SHOP` and `thread 1.2`. */
  readonly read: string[] = []
  #pages: number[] = []
  /** Envelopes that were acknowledged. */
  readonly acknowledged: string[] = []
  readonly #history: Message[] = []
  readonly #metadata = new Map<string, unknown>()
  readonly #chats = new Set<string>()
  #open: { readonly id: string; readonly type: string; readonly payload: Json; tries: number }[] = []
  #next = 1
  #last: Message | undefined

  static start(now: () => number = Date.now, groups: readonly string[] = []): Promise<SlackDouble> {
    return new SlackDouble(now, groups).listen()
  }

  private constructor(now: () => number, groups: readonly string[]) {
    super(now)
    for (const group of groups) this.#chats.add(group)
  }

  config() {
    const entry = { platform: 'slack', tokenFile: 'slack-token', appTokenFile: 'slack-app-token', apiRoot: this.url }
    return { entry, files: { 'slack-token': this.token, 'slack-app-token': this.appToken } }
  }

  /** The channel of someone's direct messages. */
  static direct(person: string): string {
    return `D${person.slice(1)}`
  }

  say(
    text: string,
    { from = 'U0ADA42', chat, thread, mentions = false, isBot = false, at, files, forwards, as = {} }: Saying = {},
  ): string {
    const channel = chat ?? SlackDouble.direct(from)
    this.#chats.add(channel)
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    const message: Message = {
      type: 'message',
      channel,
      ts: this.#stamp(at ?? this.now()),
      user: from,
      text: mentions ? `<@${me.user}> ${escaped}` : escaped,
      channel_type: chat === undefined ? 'im' : 'channel',
      ...(isBot && { bot_id: 'B0OTHER', subtype: 'bot_message' }),
      ...(thread !== undefined && { thread_ts: thread }),
      ...(forwards !== undefined && {
        attachments: [{ is_share: true, author_id: forwards.from, text: forwards.text, fallback: forwards.text }],
      }),
      ...(files !== undefined && {
        subtype: 'file_share',
        files: files.map((file) => ({
          name: file.name,
          size: file.content.length,
          url_private_download: this.kept(file),
        })),
      }),
      ...as,
    }
    this.#history.push(message)
    this.#last = message
    this.#deliver(message)
    return message.ts
  }

  edit(id: string, text: string): void {
    const index = this.#history.findIndex(({ ts }) => ts === id)
    const before = this.#history[index]!
    const after = { ...before, text, edited: { user: before['user'], ts: this.#stamp(this.now()) } }
    this.#history[index] = after
    const { channel } = before
    const event = { type: 'message', subtype: 'message_changed', channel, ts: this.#stamp(this.now()), hidden: true }
    this.#deliver({ ...event, message: after, previous_message: before })
  }

  preview(id: string): void {
    const message = this.#history.find(({ ts }) => ts === id)!
    const event = { type: 'message', subtype: 'message_changed', ts: this.#stamp(this.now()), hidden: true }
    const shown = { ...message, attachments: [{ id: 1, from_url: 'https://shop.example', title: 'Shop' }] }
    this.#deliver({ ...event, channel: message.channel, message: shown, previous_message: message })
  }

  remove(id: string): void {
    const [gone] = this.#history.splice(
      this.#history.findIndex(({ ts }) => ts === id),
      1,
    )
    const { channel } = gone!
    const event = { type: 'message', subtype: 'message_deleted', channel, ts: this.#stamp(this.now()), hidden: true }
    this.#deliver({ ...event, deleted_ts: id, previous_message: gone })
  }

  repeat(): void {
    this.#deliver(this.#last!)
  }

  click({ chat, id }: Pick<ChatPost, 'chat' | 'id'>, value: string, from: string): void {
    const click = { type: 'block_actions', user: { id: from, username: 'owner' }, actions: [{ action_id: 'a', value }] }
    const payload = { ...click, container: { type: 'message', channel_id: chat, message_ts: id } }
    this.#open.push({ id: `envelope-${this.#next++}`, type: 'interactive', payload, tries: 0 })
    for (const socket of this.sockets) this.#sendOpen(socket)
  }

  #mayRead(): boolean {
    this.#pages = [...this.#pages.filter((at) => Date.now() - at < 1000), Date.now()]
    if (this.#pages.length > this.historyPerSecond || this.pagesLeft <= 0) return false
    this.pagesLeft -= 1
    return true
  }

  /** An envelope with any content. */
  raw(type: string, payload: unknown): void {
    this.#open.push({ id: `envelope-${this.#next++}`, type, payload: payload as Json, tries: 0 })
    for (const socket of this.sockets) this.#sendOpen(socket)
  }

  lose(isForgotten: boolean): void {
    if (isForgotten) this.#open = []
    for (const socket of this.sockets) socket.terminate()
  }

  #deliver(event: Message): void {
    const payload = { type: 'event_callback', team_id: me.team, event_id: `Ev${this.#next++}`, event }
    this.#open.push({ id: `envelope-${this.#next++}`, type: 'events_api', payload, tries: 0 })
    for (const socket of this.sockets) this.#sendOpen(socket)
  }

  #sendOpen(socket: WebSocket): void {
    for (const envelope of this.#open) {
      const { id: envelope_id, type, payload, tries: retry_attempt } = envelope
      if (retry_attempt > 0 && socket.readyState === socket.OPEN && this.#sentTo.get(envelope_id) === socket) continue
      this.#sentTo.set(envelope_id, socket)
      envelope.tries += 1
      const rest = { accepts_response_payload: false, retry_attempt, retry_reason: '' }
      socket.send(JSON.stringify({ type, envelope_id, payload, ...rest }))
    }
  }

  readonly #sentTo = new Map<string, WebSocket>()

  protected connected(socket: WebSocket, url: string): void {
    if (!url.includes('ticket=')) return socket.close()
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1, connection_info: { app_id: 'A0SHOP' } }))
    this.#sendOpen(socket)
    socket.on('message', (data) => {
      const { envelope_id: id } = JSON.parse(String(data)) as { envelope_id: string }
      this.acknowledged.push(id)
      this.#open = this.#open.filter((one) => one.id !== id)
    })
  }

  protected override givesFiles(authorization: string | undefined): boolean {
    return authorization === `Bearer ${this.token}` && this.scopes.includes('files:read')
  }

  protected actionOf(_method: string, path: string) {
    if (path.endsWith('chat.postMessage')) return 'post'
    if (path.endsWith('files.completeUploadExternal')) return 'file'
    if (path.endsWith('chat.update')) return 'edit'
    return path.endsWith('conversations.history') ? 'history' : 'other'
  }

  protected refusal(fault: Exclude<ChatFault, 'drop' | 'refuse'>): Reply {
    if (fault === '500') return { status: 500, body: {} }
    if (fault === '403') return no('not_in_channel')
    return { status: 429, headers: { 'retry-after': '1' }, body: { ok: false, error: 'ratelimited' } }
  }

  protected answer(_method: string, url: URL, body: Json, authorization: string): Reply {
    const method = url.pathname.replace('/api/', '')
    if (method === 'apps.connections.open') {
      if (authorization !== `Bearer ${this.appToken}`) return no('invalid_auth')
      return ok({ url: `${this.url.replace('http', 'ws')}/link?ticket=${this.#next++}` })
    }
    if (authorization !== `Bearer ${this.token}` && body['token'] !== this.token) return no('invalid_auth')
    if (method === 'auth.test') {
      const said = ok({ user_id: me.user, team_id: me.team, user: 'shop_bot', bot_id: 'B0SHOP' })
      return { ...said, headers: { 'x-oauth-scopes': this.scopes.join(',') } }
    }
    if (method === 'conversations.open') {
      const id = SlackDouble.direct(String(body['users']))
      this.#chats.add(id)
      this.read.push(`open ${id}`)
      return ok({ channel: { id } })
    }
    if (method === 'users.info' && !this.scopes.includes('users:read')) return no('missing_scope')
    if (method === 'users.info') return ok({ user: { name: 'eve', profile: { display_name: 'Eve', real_name: '' } } })
    if (method.startsWith('files.')) return this.#file(method, body)
    const channel = String(body['channel'])
    if (!this.#chats.has(channel)) return no('channel_not_found')
    if (method === 'reactions.add') {
      this.reactions.push(`${body['timestamp']} ${body['name']}`)
      return ok({})
    }
    if (method === 'conversations.history' && !this.#mayRead()) return this.refusal('429')
    if (method === 'conversations.history') this.read.push(`history ${channel}`)
    if (method === 'conversations.history') return this.#read(channel, undefined, body)
    if (method === 'conversations.replies') this.read.push(`thread ${String(body['ts'])}`)
    if (method === 'conversations.replies') return this.#read(channel, String(body['ts']), body)
    const text = String(body['text'] ?? '')
    if (text.trim() === '') return no('no_text')
    if (text.length > 4000) return no('msg_too_long')
    if (this.#isWrong(body)) return no('invalid_blocks')
    if (method === 'chat.postEphemeral') {
      this.shown.push(text)
      return ok({})
    }
    if (method === 'chat.postMessage') return this.#post(channel, text, body)
    return method === 'chat.update' ? this.#edit(channel, text, body) : no('unknown_method')
  }

  /** Slack refuses a block without elements, a text without characters, and links to other than the web. */
  #isWrong(body: Json): boolean {
    const rich = blocksIn(body).filter(({ type }) => type === 'rich_text')
    const inner = rich.flatMap(({ elements = [] }) => elements).map(({ elements = [] }) => elements)
    const isFine = ({ type, text, url }: Element): boolean =>
      type === 'link' ? /^https?:/i.test(url ?? '') : type === 'text' && (text ?? '') !== ''
    return inner.some((each) => each.length === 0 || !each.every(isFine)) || (this.refusesFormat && rich.length > 0)
  }

  readonly #fileNames = new Map<string, string>()
  readonly #shared = new Map<string, string>()

  #file(method: string, body: Json): Reply {
    if (!this.scopes.includes('files:write')) return no('missing_scope')
    if (method === 'files.getUploadURLExternal') {
      const id = `F0FILE${this.#next++}`
      this.#fileNames.set(id, String(body['filename']))
      return ok({ upload_url: `${this.url}/uploads/${id}`, file_id: id })
    }
    if (method === 'files.info') {
      const [id, place] = [String(body['file']), this.#shared.get(String(body['file']))]
      return place === undefined ? no('file_not_found') : ok({ file: { id, channels: [place] } })
    }
    if (method !== 'files.completeUploadExternal') return no('unknown_method')
    const { files, channel_id: chat, thread_ts: thread } = body
    const [{ id }] = (typeof files === 'string' ? JSON.parse(files) : files) as [{ id: string }]
    const [content, name = ''] = [this.uploads.get(id), this.#fileNames.get(id)]
    if (content === undefined || !this.#chats.has(String(chat))) return no('invalid_arguments')
    this.#shared.set(id, String(chat))
    this.documents.push({ name, content })
    const replyTo = thread === undefined ? undefined : String(thread)
    this.posts.push({ chat: String(chat), id, text: `[${name}]`, replyTo, before: [], buttons: [] })
    return ok({ files: [{ id }] })
  }

  #read(channel: string, thread: string | undefined, { oldest = '0' }: Json): Reply {
    const isHere = (one: Message): boolean =>
      one.channel === channel && (one.thread_ts === thread || one.ts === thread) && Number(one.ts) > Number(oldest)
    const people = this.#history.filter(isHere).map((one) => {
      const replies = this.#history.filter((other) => other.thread_ts === one.ts)
      return thread !== undefined || replies.length === 0 ? one : { ...one, latest_reply: replies.at(-1)!.ts }
    })
    const own = this.posts
      .filter((post) => post.chat === channel)
      .map(({ id, text }) => ({
        ts: id,
        channel,
        text,
        user: me.user,
        bot_id: 'B0SHOP',
        metadata: this.#metadata.get(id),
      }))
    return ok({ messages: [...people, ...own].toSorted((a, b) => Number(b.ts) - Number(a.ts)), has_more: false })
  }

  #post(chat: string, text: string, body: Json): Reply {
    const { thread_ts: thread, metadata } = body
    const ts = this.#stamp(this.now())
    const replyTo = thread === undefined ? undefined : String(thread)
    const format = formatIn(body)
    this.posts.push({ chat, id: ts, text: shown(text), replyTo, before: [], buttons: buttonsIn(body), format })
    this.#metadata.set(ts, typeof metadata === 'string' ? JSON.parse(metadata) : metadata)
    return ok({ ts, channel: chat })
  }

  #edit(chat: string, text: string, body: Json): Reply {
    const { ts } = body
    const post = this.posts.find((each) => each.chat === chat && each.id === ts)
    if (post === undefined) return no('message_not_found')
    post.before.push(post.text)
    post.text = shown(text)
    if ('blocks' in body) Object.assign(post, { buttons: buttonsIn(body), format: formatIn(body) })
    return ok({ ts, channel: chat, text })
  }

  #stamp(at: number): string {
    const micro = String(this.#next++ % 1000).padStart(3, '0')
    return `${Math.floor(at / 1000)}.${String(Math.floor(at) % 1000).padStart(3, '0')}${micro}`
  }
}

interface Element {
  readonly type: string
  readonly text?: string
  readonly url?: string
  readonly value?: string
  readonly elements?: readonly Element[]
}

function blocksIn({ blocks }: Json): readonly Element[] {
  return (typeof blocks === 'string' ? JSON.parse(blocks) : (blocks ?? [])) as Element[]
}

function buttonsIn(body: Json): string[] {
  return blocksIn(body).flatMap(({ elements = [] }) => elements.flatMap(({ value }) => value ?? []))
}

function formatIn(body: Json): string | undefined {
  const rich = blocksIn(body).filter(({ type }) => type === 'rich_text')
  return rich.length === 0 ? undefined : JSON.stringify(rich.flatMap(({ elements = [] }) => elements))
}

/** As a person sees it. */
function shown(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

function ok(body: Json): Reply {
  return { body: { ok: true, ...body } }
}

function no(error: string): Reply {
  return { body: { ok: false, error } }
}
