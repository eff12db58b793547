import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer as bytesOf } from 'node:stream/consumers'
import { type WebSocket, WebSocketServer } from 'ws'
import { PlatformDouble } from './platform-double.ts'

export type Json = Record<string, unknown>

/** A message of the bot, as people see it now. */
export interface ChatPost {
  readonly chat: string
  readonly id: string
  text: string
  readonly replyTo: string | undefined
  /** Its earlier text. */
  readonly before: string[]
  /** The data of its buttons. */
  buttons: readonly string[]
  /** The form in which it is shown, as JSON; none: as text. */
  format?: string | undefined
}

/** A file that a person sends. */
export interface SaidFile {
  readonly name: string
  readonly content: Uint8Array
}

export interface Saying {
  readonly files?: readonly SaidFile[]
  readonly from?: string
  /** Default: the direct messages with that person. */
  readonly chat?: string
  readonly thread?: string
  readonly mentions?: boolean
  /** A message that is passed on, in the form of the platform, and who wrote it. */
  readonly forwards?: { readonly text: string; readonly from: string }
  /** The message that it replies to, where that is not a thread. */
  readonly repliesTo?: string
  /** More of the message, in the form of the platform. */
  readonly as?: Json
  readonly isBot?: boolean
  readonly name?: string
  /** Milliseconds since the epoch; default: now. */
  readonly at?: number
}

/**
 * `drop`: does it, and breaks the connection; `refuse`: breaks it before; `429`: not now; `500`: after it did it; `403`:
 * the bot was removed.
 */
export type ChatFault = 'drop' | 'refuse' | '429' | '500' | '403'
export type ChatAction = 'post' | 'file' | 'edit' | 'history' | 'other'

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A platform on loopback: HTTP for what the bot does, a WebSocket for what people write. It outlives daemons. */
export abstract class ChatDouble extends PlatformDouble<ChatPost> implements AsyncDisposable {
  readonly faults: { readonly action: ChatAction; readonly fault: ChatFault }[] = []
  /** The call, such as `POST /api/chat.update`. */
  readonly calls: string[] = []
  /** The bot's reactions to messages, as `<id> <reaction>`. */
  readonly reactions: string[] = []
  /** The files that the bot posted. */
  readonly documents: { readonly name: string; readonly content: Buffer }[] = []
  /** Contents that the platform has, by their ids. */
  protected readonly uploads = new Map<string, Buffer>()
  /** No content of a file is taken. */
  refusesUploads = false
  /** The texts shown to people who clicked. */
  readonly shown: string[] = []
  /** Where the bot showed that it writes. */
  readonly typing: string[] = []
  protected readonly now: () => number
  readonly #files = new Map<string, Uint8Array>()
  readonly sockets = new Set<WebSocket>()
  /**
   * It ends no connection that rests: on a busy machine Undici's timers fall behind, so it writes into one that has just
   * ended, and Iris tries again by a clock that stands.
   */
  readonly #server = createServer({ keepAliveTimeout: 0 }, (request, response) => void this.#serve(request, response))
  readonly #upgrades = new WebSocketServer({ noServer: true })

  protected constructor(now: () => number) {
    super()
    this.now = now
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrades.handleUpgrade(request, socket, head, (connection) => {
        this.sockets.add(connection)
        connection.once('close', () => {
          this.sockets.delete(connection)
          this.happened()
        })
        this.connected(connection, request.url ?? '')
        connection.on('message', () => this.happened())
        this.happened()
      }),
    )
  }

  /** The config.yaml entry for this platform, without team and people, and the files that it names. */
  abstract config(): { readonly entry: Json; readonly files: Readonly<Record<string, string>> }
  /** Someone writes. Returns the id of the message. */
  abstract say(text: string, saying?: Saying): string
  /** Someone changes what a message of his says, as it is written on this platform. */
  abstract edit(id: string, text: string): void
  /** The platform adds the preview of a link to a message. */
  abstract preview(id: string): void
  /** Someone deletes a message. */
  abstract remove(id: string): void
  /** Delivers the last message again, as platforms do when in doubt. */
  abstract repeat(): void
  /** Someone clicks a button that carries `value`, of this post. */
  abstract click(post: Pick<ChatPost, 'chat' | 'id'>, value: string, from: string): void
  /** Breaks all connections; with `isForgotten` what was missed is not replayed. */
  abstract lose(isForgotten: boolean): void

  protected abstract connected(socket: WebSocket, url: string): void
  protected abstract actionOf(method: string, path: string, body: Json): ChatAction
  protected abstract answer(method: string, url: URL, body: Json, authorization: string): Reply
  protected abstract refusal(fault: '429' | '500' | '403'): Reply

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  /** Where the world finds it, if something stands before it. */
  publicUrl: string | undefined

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return this.publicUrl ?? `http://127.0.0.1:${this.port}`
  }

  get isConnected(): boolean {
    return this.sockets.size > 0
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.terminate()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** The address of a file that a person sent. */
  protected kept(file: SaidFile): string {
    const path = `/files/${this.#files.size + 1}`
    this.#files.set(path, file.content)
    return `${this.url}${path}`
  }

  /** Whether a bot that says this of itself gets files. */
  protected givesFiles(_authorization: string | undefined): boolean {
    return true
  }

  /** A call with a file: its JSON, and the file as `file`. */
  async #form(bytes: Buffer, type: string): Promise<Json> {
    const form = await new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } }).formData()
    const file = form.get('files[0]') as File
    const content = Buffer.from(await file.arrayBuffer())
    return { ...(JSON.parse(String(form.get('payload_json'))) as Json), file: { name: file.name, content } }
  }

  #file(path: string, authorization: string | undefined, response: ServerResponse): void {
    const content = this.#files.get(path)
    if (content === undefined) response.writeHead(404).end()
    else if (this.givesFiles(authorization)) response.end(content)
    else response.writeHead(302, { location: '/signin' }).end()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#respond(request, response).catch((error: unknown) => {
      // A killed daemon sends half a request.
      if (!request.destroyed) throw error
    })
    this.happened()
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url)
    const method = request.method ?? 'GET'
    const bytes = await bytesOf(request)
    const written = bytes.toString()
    const type = request.headers['content-type'] ?? ''
    const body = type.startsWith('multipart/')
      ? await this.#form(bytes, type)
      : ((type.includes('json')
          ? JSON.parse(written || '{}')
          : Object.fromEntries(new URLSearchParams(written))) as Json)
    this.calls.push(`${method} ${url.pathname}`)
    if (method === 'POST' && url.pathname.startsWith('/uploads/')) {
      if (this.refusesUploads) return void response.writeHead(400).end()
      this.uploads.set(url.pathname.split('/').at(-1)!, bytes)
      return void response.end('OK')
    }
    if (url.pathname.startsWith('/files/')) return this.#file(url.pathname, request.headers.authorization, response)
    const action = this.actionOf(method, url.pathname, body)
    const index = this.faults.findIndex((each) => each.action === action)
    const fault = index === -1 ? undefined : this.faults.splice(index, 1)[0]?.fault
    if (fault === 'refuse') return void request.socket.destroy()
    const isBefore = fault === '429' || fault === '403'
    const answered = isBefore ? undefined : this.answer(method, url, body, request.headers.authorization ?? '')
    if (fault === 'drop') return void request.socket.destroy()
    const reply = fault === undefined ? answered! : this.refusal(fault)
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
    response.end(JSON.stringify(reply.body))
  }
}
