import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AnswerContext, startMessage, streamAnswer, wholeAnswer } from './answer.ts'
import { type Conversation, parseConversation } from './conversation.ts'
import { type InputUsage, MessagesBody } from './messages-api.ts'
import { PromptCache, tokens } from './prompt-cache.ts'
import type { ModelAnswer, ModelFailure, ModelReply, ModelRequest, Script } from './script.ts'
import { EventStream } from './sse.ts'

/** The requests so far. Only the newest are kept whole. */
interface RequestRecord {
  /** Requests that were given to the script, retries included. */
  readonly turns: number
  /** Requests that Claude Code made for itself. */
  readonly sideRequests: number
  readonly bytes: number
  /** The newest turns, oldest first, at most 32. */
  readonly recent: readonly ModelRequest[]
}

export interface ScriptedModel {
  /** The value for ANTHROPIC_BASE_URL. */
  readonly url: string
  readonly requests: RequestRecord
  /** Ends open answers and frees the port. */
  close(): Promise<void>
}

interface ScriptedModelOptions {
  readonly script: Script
  /** Answers Claude Code's request for a summary of the conversation. Default: lists the user's texts. */
  readonly compaction?: Script
  /** The port; if absent, the system chooses one. */
  readonly port?: number
}

const maxRecent = 32

/**
 * A local stand-in for the Messages API behind the real Claude Code: `POST /v1/messages` (streamed or whole) and
 * `POST /v1/messages/count_tokens`, on the loopback interface only. Costs nothing, needs no account, knows only its script.
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = new Model(options)
  const server = createServer((request, response) => void model.serve(request, response))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the scripted model has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: model.requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

class Model {
  readonly requests = { turns: 0, sideRequests: 0, bytes: 0, recent: [] as ModelRequest[] }
  readonly #options: ScriptedModelOptions
  readonly #cache = new PromptCache()

  constructor(options: ScriptedModelOptions) {
    this.#options = options
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.on('close', () => response.writableFinished || gone.abort())
    try {
      await this.#route(request, response, gone.signal)
    } catch (error) {
      if (!gone.signal.aborted) this.#fail(response, internalFailure(error))
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const route = `${request.method} ${pathname}`
    if (route === 'HEAD /' || route === 'GET /') return void response.end()
    if (route !== 'POST /v1/messages' && route !== 'POST /v1/messages/count_tokens') {
      return this.#fail(response, problem(404, 'not_found_error', `nothing at ${route}`))
    }
    const bytes = await readBody(request)
    const body = parseBody(bytes)
    if (body === undefined) return this.#fail(response, problem(400, 'invalid_request_error', 'not a messages request'))
    if (pathname.endsWith('/count_tokens')) return json(response, 200, { input_tokens: tokens(bytes.length) })
    const conversation = parseConversation(body)
    const sessionId = String(request.headers['x-claude-code-session-id'] ?? '')
    const asked: ModelRequest = { body, conversation, headers: request.headers, sessionId, signal }
    this.requests.bytes += bytes.length
    await this.#reply(await this.#decide(asked), asked, response)
  }

  async #decide(asked: ModelRequest): Promise<ModelReply> {
    const side = sideAnswer(asked.body, asked.conversation)
    if (side !== undefined) {
      this.requests.sideRequests += 1
      const { compaction } = this.#options
      return compaction !== undefined && asksForSummary(asked.conversation) ? compaction(asked) : side
    }
    this.requests.turns += 1
    this.requests.recent.push(asked)
    if (this.requests.recent.length > maxRecent) this.requests.recent.shift()
    return this.#options.script(asked)
  }

  async #reply(reply: ModelReply, { body, signal }: ModelRequest, response: ServerResponse): Promise<void> {
    if (signal.aborted) return
    for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value)
    if ('error' in reply) return this.#fail(response, reply)
    if ('stall' in reply && reply.stall === 'silent') return
    const context: AnswerContext = {
      messageId: newId('msg'),
      model: ('model' in reply ? reply.model : undefined) ?? body.model,
      newToolUseId: () => newId('toolu'),
      input: inputOf(reply, this.#cache.admit(body)),
    }
    if ('stall' in reply) return startMessage(context, new EventStream(response, signal))
    if (body.stream !== true) return json(response, 200, await wholeAnswer(reply, context))
    const events = new EventStream(response, signal)
    await streamAnswer(reply, context, events)
    if (reply.breaks === 'close') return void response.destroy()
    if (reply.breaks === 'error') return this.#fail(response, problem(500, 'api_error', 'Internal server error'))
    events.end()
  }

  #fail(response: ServerResponse, { error }: ModelFailure): void {
    const body = { type: 'error', error: { type: error.type, message: error.message } }
    // It is too late for an HTTP status: in the middle of a stream, the API reports a failure with an event of this
    // shape.
    if (response.headersSent) return void response.end(`event: error\ndata: ${JSON.stringify(body)}\n\n`)
    if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(error.retryAfterSeconds))
    json(response, error.status, body)
  }
}

function inputOf(reply: ModelReply, counted: InputUsage): InputUsage {
  if (!('inputTokens' in reply) || reply.inputTokens === undefined) return counted
  return { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: reply.inputTokens }
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`
}

function internalFailure(error: unknown): ModelFailure {
  return problem(500, 'api_error', `the script failed: ${error instanceof Error ? error.message : String(error)}`)
}

function problem(status: number, type: string, message: string): ModelFailure {
  return { error: { status, type, message } }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function parseBody(bytes: Buffer): MessagesBody | undefined {
  try {
    return MessagesBody.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    return undefined
  }
}

const compactionOpening = 'CRITICAL: Respond with TEXT ONLY'

function asksForSummary({ lastUserText }: Conversation): boolean {
  return lastUserText.startsWith(compactionOpening)
}

/**
 * Answers requests that Claude Code makes for its own purposes, which do not reach the script: the summary of
 * `/compact` (with the whole conversation and its tools), titles, topics and quota checks (no tools). Undefined for a
 * real turn.
 */
function sideAnswer(body: MessagesBody, conversation: Conversation): ModelAnswer | undefined {
  // Without the tags of the summary, Claude Code 2.1.330 asks a second time.
  if (asksForSummary(conversation)) return { text: compactionSummary(conversation) }
  if ((body.tools ?? []).length > 0) return undefined
  const format = (body.output_config as { format?: unknown } | undefined)?.format
  return { text: format === undefined ? 'ok' : '{"title":"Scripted conversation"}' }
}

function compactionSummary({ earlierUserTexts }: Conversation): string {
  return `<analysis>Scripted.</analysis>\n<summary>Asked so far: ${earlierUserTexts.join(' | ')}</summary>`
}
