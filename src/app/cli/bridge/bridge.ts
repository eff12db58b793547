import { type Endpoint, exchange, Unanswered, unreachable } from '../../../adapters/client/exchange.ts'
import {
  errorAnswer,
  invalidRequest,
  isAnswerTo,
  isMessage,
  isRequest,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcRequest,
  methodNotFound,
  parseError,
  serverError,
} from '../../../adapters/client/json-rpc.ts'
import { askPatiently } from '../../../adapters/client/patience.ts'
import type { Clock } from '../../../base/lib/clock.ts'
import { isRecord } from '../../../base/lib/is-record.ts'
import type { Log } from '../../../base/lib/log.ts'
import { IrisError, toIrisError } from '../../../base/protocol/error.ts'
import type { FoundDaemon } from '../find-daemon.ts'
import type { DaemonLink } from './daemon-link.ts'
import { HomeLines, shareOf } from './home-lines.ts'
import { maybeDone, repeatable, repetition } from './repeat.ts'
import type { SessionQuestions } from './session-questions.ts'

export interface BridgeParts {
  readonly link: DaemonLink
  /** Real path of the directory where the bridge was started; it determines the calling team. */
  readonly directory: string | undefined
  /** The process tag of the agent that started the bridge, if any. */
  readonly tag?: string | undefined
  /** The name of the bridge's share of calls. */
  readonly shareName: string
  /** The session of a person that this bridge serves. */
  readonly console?: string | undefined
  /** Undefined when no person has that session open, so that nobody can be asked there. */
  readonly questions?: Pick<SessionQuestions, 'wantsFallback' | 'hears' | 'answered' | 'close'> | undefined
  /** Sends one message to the client. */
  readonly send: (message: JsonRpcMessage) => void
  readonly log: Log
  readonly clock: Clock
  readonly newId: () => string
}

/**
 * A request that crashes every daemon must not start daemons forever. Only daemons lost within `quickMs` of sending
 * count.
 */
const maxQuickLosses = 10
const quickMs = 10_000

/**
 * This request stays open as long as the client lives. When its daemon is lost, it does not start another one, because
 * a person may have stopped that daemon.
 */
const listening = 'subscriptions/listen'

/**
 * Relays JSON-RPC between a client on stdio and the daemon's MCP endpoint, and adds an idempotency key to each tool
 * call. Requests run side by side. A request whose connection breaks is sent again to the next daemon, which recognizes
 * the call by its key.
 */
export class Bridge {
  readonly #parts: BridgeParts
  readonly #lines: HomeLines
  readonly #open = new Map<JsonRpcId, AbortController>()

  constructor(parts: BridgeParts) {
    this.#parts = parts
    this.#lines = new HomeLines({ tag: undefined, ...parts })
  }

  /** Handles one line from the client. */
  receive(line: string): void {
    const parsed = parse(line)
    if (parsed === undefined) return this.refuse(parseError, 'Parse error: this line is not JSON.')
    // Revisions before 2025-06-18 have batches; their answers may come one by one.
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) this.#accept(message)
  }

  /** Reports input that is no request, and so has no id to answer. */
  refuse(code: number, message: string): void {
    this.#parts.send(errorAnswer(null, code, message))
  }

  /** Stops waiting for all answers. The daemon continues what it has accepted. */
  close(): void {
    for (const open of this.#open.values()) open.abort()
    this.#parts.questions?.close()
    void this.#lines.close()
  }

  #accept(message: unknown): void {
    if (!isMessage(message)) return this.refuse(invalidRequest, 'Invalid request: this is no JSON-RPC 2.0 message.')
    if (isRequest(message)) return void this.#serve(message)
    if (message.method === 'notifications/cancelled') this.#cancel(message)
    else if (message.method !== undefined && message.id === undefined) void this.#notify(message)
    else if (message.method === undefined) this.#parts.questions?.answered(message)
    else this.refuse(invalidRequest, 'Invalid request: "id" is text or a number.')
  }

  async #serve(request: JsonRpcRequest): Promise<void> {
    const open = new AbortController()
    this.#open.set(request.id, open)
    const { questions } = this.#parts
    questions?.hears(request)
    try {
      if (request.method === 'server/discover' && (await questions?.wantsFallback(request)))
        return this.#parts.send(errorAnswer(request.id, methodNotFound, 'Method not found: server/discover'))
      await this.#relay(repeatable(request, this.#parts.newId, this.#parts.console), open.signal)
    } catch (error) {
      if (!open.signal.aborted) this.#parts.send(this.#failure(request, error))
    } finally {
      if (this.#open.get(request.id) === open) this.#open.delete(request.id)
    }
  }

  async #relay(request: JsonRpcRequest, signal: AbortSignal): Promise<void> {
    const { link, clock, log } = this.#parts
    const began = clock.elapsed()
    let lost: FoundDaemon | undefined
    let quickLosses = 0
    let wasSent = false
    for (;;) {
      const daemon = await this.#daemonFor(request, lost !== undefined, signal).catch((error: unknown) => {
        throw wasSent ? maybeDone(request, error) : error
      })
      signal.throwIfAborted()
      // A connection that was idle for a long time can break although its daemon is still running.
      if (lost && lost.pid !== daemon.pid)
        log.info(`a new daemon answers; ${request.method} goes to it`, { id: request.id })
      const sentAt = clock.elapsed()
      const message = lost === undefined ? request : repetition(request, sentAt - began)
      try {
        return await this.#send(daemon, message, signal)
      } catch (error) {
        quickLosses = clock.elapsed() - sentAt < quickMs ? quickLosses + 1 : 0
        if (!isLoss(error)) throw error
        wasSent ||= !(error instanceof Unanswered) || error.wasSent
        if (quickLosses > maxQuickLosses) throw wasSent ? maybeDone(request, error) : error
        lost = daemon
        link.lost(daemon)
      }
    }
  }

  /** Uses the daemon's Unix socket where there is one, else HTTP. */
  async #send(daemon: FoundDaemon, message: JsonRpcRequest, signal: AbortSignal): Promise<void> {
    const { clock, send } = this.#parts
    const lines = await this.#lines.to(daemon)
    const ask = () => (lines ? lines.request(message, signal) : this.#sendOverHttp(daemon, message, signal))
    send(await askPatiently(ask, clock, signal))
  }

  /** Returns the answer; the messages before it go to the client. */
  async #sendOverHttp(daemon: FoundDaemon, message: JsonRpcRequest, signal: AbortSignal): Promise<JsonRpcMessage> {
    for await (const incoming of exchange(this.#endpointAt(daemon), message, signal)) {
      if (isAnswerTo(incoming, message)) return incoming
      this.#parts.send(incoming)
    }
    throw unreachable(undefined)
  }

  #endpointAt(daemon: FoundDaemon): Endpoint {
    const { directory, tag, shareName } = this.#parts
    return { ...daemon.mcp, directory, tag, share: shareOf(daemon, shareName) }
  }

  #daemonFor(request: JsonRpcRequest, again: boolean, signal: AbortSignal): Promise<FoundDaemon> {
    const { link } = this.#parts
    return request.method === listening && again ? link.whenRunning(signal) : link.current()
  }

  /**
   * Closes the stream of a withdrawn request. This ends the wait but never the turn, and the request gets no answer.
   */
  #cancel({ params }: JsonRpcMessage): void {
    this.#open.get(params?.['requestId'] as JsonRpcId)?.abort()
  }

  /** Only logs a failure: the daemon keeps no state between requests, so a lost notification does no harm. */
  async #notify(message: JsonRpcMessage): Promise<void> {
    const { link, log } = this.#parts
    try {
      const daemon = await link.current()
      const lines = await this.#lines.to(daemon)
      if (lines) return lines.send(message)
      await exchange(this.#endpointAt(daemon), message, AbortSignal.timeout(5000)).next()
    } catch (error) {
      log.debug(`${message.method} was not delivered: ${String(error)}`)
    }
  }

  #failure(request: JsonRpcRequest, error: unknown): JsonRpcMessage {
    if (!(error instanceof IrisError)) this.#parts.log.error(`${request.method} failed: ${String(error)}`)
    const { message, ...data } = toIrisError(error).toJSON()
    return errorAnswer(request.id, serverError, `${message} ${data.remedy}`, data)
  }
}

function isLoss(error: unknown): boolean {
  return error instanceof IrisError && error.code === 'daemon_unreachable'
}

function parse(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return Array.isArray(value) || isRecord(value) ? value : null
  } catch {
    return undefined
  }
}
