import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

type Fields = Readonly<Record<string, unknown>>

/** Who writes in the demo, by the id that Telegram would give. */
export const person = { id: 42, name: 'Ana' }
const token = '123456:of-the-demo'

/** The part of Telegram's Bot API that one chat with one person needs, on the loopback interface. */
export class TelegramForDemo {
  readonly token = token
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  readonly #show: (text: string) => void
  readonly #posts = new Map<number, string>()
  #updates: { readonly update_id: number; readonly message: object }[] = []
  #wake = (): void => {}
  #next = 1
  /** Whether a bot has asked for messages. The bot does not answer messages that were written before it first asked. */
  isAsked = false

  /** `show` gets each text of the bot, whenever it changes. */
  static async start(show: (text: string) => void): Promise<TelegramForDemo> {
    const telegram = new TelegramForDemo(show)
    await new Promise<void>((resolve) => telegram.#server.listen(0, '127.0.0.1', resolve))
    return telegram
  }

  private constructor(show: (text: string) => void) {
    this.#show = show
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The present texts of the bot's posts. */
  get texts(): readonly string[] {
    return [...this.#posts.values()]
  }

  say(text: string): void {
    const id = this.#next++
    const message = {
      message_id: id,
      date: Math.floor(Date.now() / 1000),
      text,
      chat: { id: person.id, type: 'private' },
      from: { id: person.id, is_bot: false, first_name: person.name },
    }
    this.#updates.push({ update_id: id, message })
    this.#wake()
  }

  async close(): Promise<void> {
    this.#wake()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const fields = (await json(request).catch(() => ({}))) as Fields
    const result = given === token ? await this.#answer(method, fields, response) : undefined
    if (response.destroyed) return
    response.statusCode = result === undefined ? 404 : 200
    response.setHeader('content-type', 'application/json')
    const refusal = { ok: false, error_code: 404, description: 'Not Found' }
    response.end(JSON.stringify(result === undefined ? refusal : { ok: true, result }))
  }

  async #answer(method: string, fields: Fields, response: ServerResponse): Promise<unknown> {
    if (method === 'getMe') return { id: 1, is_bot: true, first_name: 'Shop', username: 'shop_bot' }
    if (method === 'getUpdates') return this.#updatesFor(fields, response)
    if (method === 'sendMessage') return this.#post(this.#next++, String(fields['text']))
    if (method === 'editMessageText') return this.#post(Number(fields['message_id']), String(fields['text']))
    return undefined
  }

  #post(id: number, text: string): object {
    this.#posts.set(id, text)
    this.#show(text)
    return { message_id: id, date: 0, chat: { id: person.id }, text }
  }

  /** A call with a newer offset acknowledges the older updates. */
  async #updatesFor({ offset = 0, timeout = 0 }: Fields, response: ServerResponse): Promise<object[]> {
    this.isAsked = true
    this.#updates = this.#updates.filter(({ update_id: id }) => id >= Number(offset))
    if (this.#updates.length === 0 && Number(timeout) > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        response.once('close', resolve)
      })
    }
    return this.#updates
  }
}
