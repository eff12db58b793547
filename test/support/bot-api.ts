import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer, json } from 'node:stream/consumers'
import { PlatformDouble } from './platform-double.ts'

type Json = Record<string, unknown>

/** A message in a chat, as people there see it now. */
export interface Posted {
  readonly chat: string
  readonly id: number
  text: string
  readonly replyTo: number | undefined
  /** Its earlier text. */
  readonly before: string[]
  /** The data of its buttons. */
  buttons: readonly string[]
  /** Its entities, as JSON. */
  format: string
}

interface PostedDocument {
  readonly name: string
  readonly content: Buffer
}

interface Said {
  readonly chat?: number
  readonly from?: number
  readonly name?: string
  readonly isBot?: boolean
  readonly isGroup?: boolean
  readonly topic?: number
  readonly mentions?: boolean
  /** The author of the forwarded message. */
  readonly forwardedFrom?: number
  /** A picture, or with a name a document. */
  readonly file?: { readonly name?: string; readonly content: Uint8Array }
  /** More of the message, in the form of the Bot API. */
  readonly as?: Json
  /** Milliseconds since the epoch; default: now. */
  readonly at?: number
}

/**
 * `drop`: does it, and breaks the connection; `refuse`: breaks it before; `429`: not now; `500`: after it did it; `403`:
 * the bot was removed.
 */
export type Fault = 'drop' | 'refuse' | '429' | '500' | '403'

/** Speaks Telegram's Bot API over loopback, and refuses what that refuses. It outlives the daemons that use it. */
export class BotApi extends PlatformDouble<Posted> implements AsyncDisposable {
  /** One of its own: daemons of other tests have a lock for theirs. */
  readonly token = `123456:a-token-that-is-not-one-${randomUUID()}`
  readonly calls: { readonly method: string; readonly body: Json }[] = []
  readonly faults: { readonly method: string; readonly fault: Fault }[] = []
  /**
   * It ends no connection that rests: on a busy machine Undici's timers fall behind, so it writes into one that has just
   * ended, and Iris tries again by a clock that stands.
   */
  readonly #server = createServer({ keepAliveTimeout: 0 }, (request, response) => void this.#serve(request, response))
  readonly #now: () => number
  readonly #waiting = new Set<() => void>()
  #updates: Json[] = []
  #polls = 0
  #nextUpdate = 1000
  #nextMessage = 1
  readonly #chats = new Set<string>()
  /** How often someone tried to reach it while it was down. */
  tries = 0
  #isDown = false
  /** The owner's settings, and the groups that the bot is in. */
  rights: Json = {}
  webhook = ''
  readonly groups = new Set<string>()
  /** The bot's reactions to messages, as `<id> <reaction>`. */
  readonly reactions: string[] = []
  /** Where the bot showed that it writes. */
  readonly typing: string[] = []
  readonly #migrated = new Map<string, number>()
  readonly #said = new Map<number, string>()
  readonly #files = new Map<string, Uint8Array>()
  /** The files that the bot sent. */
  readonly documents: PostedDocument[] = []
  refusesFormat = false
  /** For these methods a connection that had a request before breaks, as one does that the platform ended after a pause. */
  readonly endedAfterPause = new Set<string>()
  readonly #used = new WeakSet<Socket>()
  /** The texts shown to people who clicked. */
  readonly shown: string[] = []

  private constructor(now: () => number) {
    super()
    this.#now = now
  }

  static async start(now: () => number = Date.now): Promise<BotApi> {
    const api = new BotApi(now)
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve))
    return api
  }

  /** Where the world finds it, if something stands before it. */
  publicUrl: string | undefined

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return this.publicUrl ?? `http://127.0.0.1:${this.port}`
  }

  /** Nobody reaches it, and what was under way is broken off. */
  set isDown(isDown: boolean) {
    this.#isDown = isDown
    if (isDown) this.#server.closeAllConnections()
  }

  /** Someone writes. Returns the id of the message. */
  say(text: string, said: Said = {}): number {
    const {
      from = 42,
      chat = from,
      name = 'Ada',
      isBot = false,
      isGroup = false,
      topic,
      mentions = false,
      forwardedFrom,
      at,
      file,
      as,
    } = said
    const id = this.#nextMessage++
    this.#said.set(id, text)
    this.#chats.add(String(chat))
    const entities = mentions ? [{ type: 'mention', offset: 0, length: '@shop_bot'.length }] : undefined
    this.#updates.push({
      update_id: this.#nextUpdate++,
      message: {
        message_id: id,
        date: Math.floor((at ?? this.#now()) / 1000),
        text: mentions ? `@shop_bot ${text}` : text,
        chat: { id: chat, type: isGroup ? 'supergroup' : 'private' },
        entities,
        from: { id: from, is_bot: isBot, first_name: name },
        ...(file !== undefined && this.#kept(file, text)),
        ...(forwardedFrom !== undefined && this.#origin(forwardedFrom)),
        ...(topic !== undefined && { is_topic_message: true, message_thread_id: topic }),
        ...as,
      },
    })
    for (const wake of this.#waiting) wake()
    return id
  }

  /** For a forwarded message, `from` is the person who forwarded it. */
  #origin(from: number): Json {
    const sender_user = { id: from, is_bot: from === 1, first_name: 'The one who wrote it' }
    return { forward_origin: { type: 'user', sender_user, date: Math.floor(this.#now() / 1000) } }
  }

  /** A message with a file has no text but a caption, and a picture comes in several sizes. */
  #kept({ name, content }: NonNullable<Said['file']>, caption: string): Json {
    const file_id = `file-${this.#files.size + 1}`
    this.#files.set(file_id, content)
    const file = { file_id, file_size: content.length }
    const small = { file_id: 'small', file_size: 1 }
    return {
      text: undefined,
      caption,
      ...(name === undefined ? { photo: [small, file] } : { document: { ...file, file_name: name } }),
    }
  }

  /** Someone changes a message that was sent before. */
  edit(id: number, text: string, { from = 42, chat = from }: Pick<Said, 'from' | 'chat'> = {}): void {
    const who = { id: from, is_bot: false, first_name: 'Ada' }
    const now = Math.floor(this.#now() / 1000)
    const place = { id: chat, type: chat < 0 ? 'supergroup' : 'private' }
    const message = { message_id: id, date: now, edit_date: now, text, chat: place, from: who }
    this.#updates.push({ update_id: this.#nextUpdate++, edited_message: message })
    for (const wake of this.#waiting) wake()
  }

  /** A group becomes a supergroup, under another id and with numbers of messages that start over. */
  migrate(chat: number, to: number, { isSilent = false } = {}): void {
    this.#migrated.set(String(chat), to)
    this.#chats.add(String(to))
    if (isSilent) return
    const service = { date: Math.floor(this.#now() / 1000), from: { id: 42, is_bot: false, first_name: 'Ada' } }
    const [old, now] = [
      { chat: { id: chat, type: 'group' }, migrate_to_chat_id: to },
      { chat: { id: to, type: 'supergroup' }, migrate_from_chat_id: chat },
    ]
    for (const each of [old, now])
      this.#updates.push({ update_id: this.#nextUpdate++, message: { message_id: 1, ...service, ...each } })
    for (const wake of this.#waiting) wake()
  }

  /** Something of a message changes that bots do not see. */
  touch(id: number): void {
    this.edit(id, this.#said.get(id)!)
  }

  /** Someone clicks a button that carries `data`, of this post. */
  click({ chat, id }: Pick<Posted, 'chat' | 'id'>, data: string, from: number): void {
    const message = { message_id: id, date: 0, chat: { id: Number(chat), type: 'private' } }
    const who = { id: from, is_bot: false, first_name: 'The owner' }
    this.#updates.push({ update_id: this.#nextUpdate++, callback_query: { id: 'query', from: who, message, data } })
    for (const wake of this.#waiting) wake()
  }

  /** Delivers the last updates again, as after a lost acknowledgement. */
  repeat(updates: readonly Json[]): void {
    this.#updates.push(...updates)
    for (const wake of this.#waiting) wake()
  }

  /** After a week without updates Telegram continues with any number. */
  numberFrom(update: number): void {
    this.#nextUpdate = update
  }

  /** Updates waiting to be fetched. */
  get pending(): readonly Json[] {
    return this.#updates
  }

  /** Waits until someone reads its updates. */
  async listens(): Promise<void> {
    await this.until(() => this.calls.filter(({ method }) => method === 'getUpdates').length > 1, 'a bot listens')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const wake of this.#waiting) wake()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#respond(request, response).catch((error: unknown) => {
      // A killed daemon sends half a request.
      if (!request.destroyed) throw error
    })
    this.happened()
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDown) {
      this.tries += 1
      return void request.socket.destroy()
    }
    const [, of, file = ''] = /^\/file\/bot([^/]+)\/documents\/([\w-]+)$/.exec(request.url ?? '') ?? []
    if (of === this.token) return void response.end(this.#files.get(file))
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const isForm = request.headers['content-type']?.startsWith('multipart/') === true
    const body = isForm ? await formOf(request) : (((await json(request).catch(() => ({}))) ?? {}) as Json)
    if (token !== this.token) return fail(response, 401, 'Unauthorized')
    if (this.endedAfterPause.has(method) && this.#used.has(request.socket)) return void request.socket.destroy()
    this.#used.add(request.socket)
    this.calls.push({ method, body })
    // This one may last long.
    if (method === 'getUpdates') this.happened()
    const index = this.faults.findIndex((each) => each.method === method)
    const fault = index === -1 ? undefined : this.faults.splice(index, 1)[0]?.fault
    if (fault === 'refuse') return void request.socket.destroy()
    if (fault === '429') return fail(response, 429, 'Too Many Requests: retry after 1', { retry_after: 1 })
    if (fault === '403') return fail(response, 403, 'Forbidden: bot was blocked by the user')
    const movedTo = this.#migrated.get(String(body['chat_id']))
    if (movedTo !== undefined) {
      const description = 'Bad Request: group chat was upgraded to a supergroup chat'
      return fail(response, 400, description, { migrate_to_chat_id: movedTo })
    }
    const result = await this.#answer(method, body, response)
    if (fault === 'drop') return void request.socket.destroy()
    if (fault === '500') return fail(response, 500, 'Internal Server Error')
    if (response.writableEnded || response.destroyed) return
    if ('error' in result) return fail(response, result.code ?? 400, result.error)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ok: true, result: result.result }))
  }

  async #answer(
    method: string,
    body: Json,
    response: ServerResponse,
  ): Promise<{ readonly result: unknown } | { readonly error: string; readonly code?: number }> {
    if (method === 'getMe')
      return { result: { id: 1, is_bot: true, first_name: 'Shop', username: 'shop_bot', ...this.rights } }
    if (method === 'getWebhookInfo') return { result: { url: this.webhook } }
    if (method === 'getChatMember')
      return { result: { status: this.groups.has(String(body['chat_id'])) ? 'member' : 'left' } }
    if (method === 'getUpdates') return this.#updatesFor(body, response)
    if (method === 'setMessageReaction') {
      const [{ emoji }] = body['reaction'] as [{ emoji: string }]
      return { result: this.reactions.push(`${body['message_id']} ${emoji}`) > 0 }
    }
    if (method === 'answerCallbackQuery') return { result: this.shown.push(String(body['text'])) > 0 }
    if (method === 'sendChatAction') return { result: this.typing.push(String(body['chat_id'])) > 0 }
    if (method === 'getFile') {
      const id = String(body['file_id'])
      return this.#files.has(id)
        ? { result: { file_id: id, file_path: `documents/${id}` } }
        : { error: 'Bad Request: invalid file_id' }
    }
    if (method === 'sendMessage') return this.#send(body)
    if (method === 'sendDocument') return this.#sendDocument(body)
    if (method === 'editMessageText') return this.#edit(body)
    return { error: 'Not Found', code: 404 }
  }

  async #updatesFor({ offset = 0, limit = 100, timeout = 0 }: Json, response: ServerResponse) {
    this.#polls += 1
    const poll = this.#polls
    // A question with a newer offset acknowledges what is older: that is gone then. One far ahead is none.
    const isAhead = Number(offset) > this.#nextUpdate + 10
    this.#updates = this.#updates.filter(({ update_id: id }) => isAhead || Number(id) >= Number(offset))
    if (this.#updates.length === 0 && Number(timeout) > 0) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer)
          this.#waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, Number(timeout) * 1000)
        this.#waiting.add(wake)
        response.once('close', wake)
      })
    }
    if (poll !== this.#polls && !response.destroyed) {
      return { error: 'Conflict: terminated by other getUpdates request', code: 409 }
    }
    return { result: this.#updates.slice(0, Number(limit)) }
  }

  #send({ chat_id: chat, text, entities, reply_parameters: reply, reply_markup: markup }: Json) {
    const wrong = this.#wrong(String(chat), text, entities)
    if (wrong !== undefined) return { error: wrong }
    const id = this.#nextMessage++
    const replyTo = (reply as { message_id?: number } | undefined)?.message_id
    const shown = { text: String(text), format: JSON.stringify(entities ?? []), buttons: buttonsIn(markup) }
    this.posts.push({ chat: String(chat), id, replyTo, before: [], ...shown })
    return { result: { message_id: id, date: 0, chat: { id: Number(chat) }, text } }
  }

  #sendDocument({ chat_id: chat, document, reply_parameters: reply }: Json) {
    if (!this.#chats.has(String(chat))) return { error: 'Bad Request: chat not found' }
    const { name, content } = document as PostedDocument
    if (content.length === 0) return { error: 'Bad Request: file must be non-empty' }
    const id = this.#nextMessage++
    const replyTo = (reply as { message_id?: number } | undefined)?.message_id
    this.documents.push({ name, content })
    this.posts.push({ chat: String(chat), id, text: `[${name}]`, format: '[]', replyTo, before: [], buttons: [] })
    return { result: { message_id: id, date: 0, chat: { id: Number(chat) }, document: { file_id: String(id) } } }
  }

  #edit({ chat_id: chat, message_id: id, text, entities, reply_markup: markup }: Json) {
    const wrong = this.#wrong(String(chat), text, entities)
    if (wrong !== undefined) return { error: wrong }
    const post = this.posts.find((each) => each.chat === String(chat) && each.id === id)
    if (post === undefined) return { error: 'Bad Request: message to edit not found' }
    const format = JSON.stringify(entities ?? [])
    if (post.text === text && post.format === format) return { error: 'Bad Request: message is not modified' }
    post.before.push(post.text)
    Object.assign(post, { text: String(text), format })
    post.buttons = buttonsIn(markup)
    return { result: { message_id: id, text } }
  }

  #wrong(chat: string, text: unknown, entities: unknown = []): string | undefined {
    if (!this.#chats.has(chat)) return 'Bad Request: chat not found'
    if (typeof text !== 'string' || text.trim() === '') return 'Bad Request: message text is empty'
    const isInside = ({ offset, length }: Record<'offset' | 'length', number>): boolean =>
      length > 0 && offset >= 0 && offset + length <= text.length
    const all = entities as Record<'offset' | 'length', number>[]
    if ((this.refusesFormat && all.length > 0) || !all.every(isInside)) return "Bad Request: can't parse entities"
    return text.length > 4096 ? 'Bad Request: message is too long' : undefined
  }
}

/** A call with a file: the field that holds it names the part by `attach://`. */
async function formOf(request: IncomingMessage): Promise<Json> {
  const body = Uint8Array.from(await buffer(request))
  const form = await new Response(body, { headers: { 'content-type': request.headers['content-type']! } }).formData()
  const entries = [...form.entries()]
  const files = new Map<string, PostedDocument>()
  for (const [key, value] of entries)
    if (typeof value !== 'string') files.set(key, { name: value.name, content: Buffer.from(await value.arrayBuffer()) })
  const fields = entries.flatMap(([key, value]) => {
    if (typeof value !== 'string') return []
    const file = files.get(value.replace('attach://', ''))
    if (file !== undefined) return [[key, file]]
    return [[key, value.startsWith('{') ? JSON.parse(value) : value]]
  })
  return Object.fromEntries(fields) as Json
}

function buttonsIn(markup: unknown): string[] {
  const { inline_keyboard: rows = [] } = (markup ?? {}) as { inline_keyboard?: { callback_data: string }[][] }
  return rows.flat().map(({ callback_data: data }) => data)
}

function fail(response: ServerResponse, code: number, description: string, parameters?: Json): void {
  response.statusCode = code
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ ok: false, error_code: code, description, ...(parameters && { parameters }) }))
}
