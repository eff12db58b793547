import type { Socket } from 'node:net'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { isRecord } from '../../base/lib/is-record.ts'
import { isNestedDeeper } from '../../base/lib/json-depth.ts'
import { LineSplitter } from '../../base/lib/line-splitter.ts'
import type { Log } from '../../base/lib/log.ts'
import { nestsDeeper } from '../../base/lib/nests-deeper.ts'
import { toIrisError } from '../../base/protocol/error.ts'
import type { AuthContext } from '../../kernel/call/call.ts'
import type { Operations } from '../../kernel/call/operations.ts'
import { deepest } from './http.ts'
import { incoming } from './incoming.ts'
import { createMcpServer } from './server.ts'
import { maxUnread } from './unread.ts'

interface LinesParts {
  readonly operations: Operations
  readonly log: Log
  /** Returns the current caller, because the team of a directory may change while the connection is open. */
  readonly authOf: () => AuthContext
  /** Longest message, in bytes. */
  readonly longestLine: number
}

/**
 * Serves MCP of both revisions to a program on a socket, with one message per line. When the connection ends, its calls
 * are withdrawn.
 */
export function serveLines(socket: Socket, { operations, log, authOf, longestLine }: LinesParts): LineTransport {
  const { kind } = authOf().principal
  const transport = new LineTransport(socket, longestLine, {
    count: (message) => {
      // `Operations.call` counts calls to tools, for all adapters. Other messages are counted here.
      if (message['method'] !== 'tools/call') operations.count(authOf())
    },
    onUnread: (unreadBytes) =>
      log.warn('A program on the home socket does not read its answers, so Iris closed its connection', {
        unreadBytes,
      }),
  })
  serveStdio(() => createMcpServer({ operations, log, kind, authOf }), {
    transport,
    onerror: (error) => log.debug(`mcp: ${error.message}`),
  })
  return transport
}

interface LineEvents {
  readonly count: (message: Readonly<Record<string, unknown>>) => void
  readonly onUnread: (unreadBytes: number) => void
}

class LineTransport implements Transport {
  onmessage: NonNullable<Transport['onmessage']> | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #socket: Socket
  readonly #lines: LineSplitter
  readonly #events: LineEvents
  /** Ids of requests without an answer, each with the later requests that have the same id. */
  readonly #open = new Map<string | number, Readonly<Record<string, unknown>>[]>()

  constructor(socket: Socket, maxLineBytes: number, events: LineEvents) {
    this.#socket = socket
    this.#events = events
    this.#lines = new LineSplitter({
      maxLineBytes,
      onLine: (line) => this.#receive(line),
      onOversize: (bytes) =>
        this.#refuse(null, ProtocolErrorCode.InvalidRequest, `A line of ${bytes} bytes is too long.`),
    })
  }

  async start(): Promise<void> {
    this.#socket.on('close', () => this.onclose?.())
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write(message)
    if (isJSONRPCResponse(message) && message.id !== undefined) this.#answered(message.id)
  }

  async close(): Promise<void> {
    this.#socket.end()
  }

  #receive(line: string): void {
    const message = parsed(line)
    if (!isRecord(message) || message['jsonrpc'] !== '2.0') {
      return this.#refuse(null, ProtocolErrorCode.ParseError, 'Parse error: this line is not a JSON-RPC message.')
    }
    if (!isWellFormed(message)) {
      return this.#refuse(
        idOf(message),
        ProtocolErrorCode.InvalidRequest,
        'This is neither a request nor an answer: "id" is text or a whole number, "method" is text, "params" an object, and there is nothing else.',
      )
    }
    if (isNestedDeeper(message, deepest)) {
      return this.#refuse(
        idOf(message),
        ProtocolErrorCode.InvalidRequest,
        `The message is nested deeper than ${deepest} levels.`,
      )
    }
    try {
      this.#events.count(message)
    } catch (error) {
      const { message: what, ...data } = toIrisError(error).toJSON()
      return this.#refuse(idOf(message), -32_000, `${what} ${data.remedy}`, data)
    }
    const { message: read, problem } = incoming(message)
    if (problem !== undefined) return this.#refuse(idOf(message), ProtocolErrorCode.InvalidParams, problem)
    if (read['method'] === 'notifications/cancelled') this.#withdrawn(read['params'])
    const id = 'method' in read ? idOf(read) : null
    // The library answers only one request with the same id at a time.
    if (id !== null && this.#open.has(id)) this.#open.get(id)!.push(read)
    else this.#begin(id, read)
  }

  #begin(id: string | number | null, message: Readonly<Record<string, unknown>>): void {
    if (id !== null) this.#open.set(id, this.#open.get(id) ?? [])
    this.onmessage?.(message as unknown as JSONRPCMessage)
  }

  /** A withdrawn request gets no answer, so the next request with its id can begin. */
  #withdrawn(params: unknown): void {
    const id = isRecord(params) ? params['requestId'] : undefined
    if (typeof id === 'string' || typeof id === 'number') setImmediate(() => this.#answered(id))
  }

  #answered(id: string | number): void {
    const next = this.#open.get(id)?.shift()
    if (next === undefined) this.#open.delete(id)
    else this.#begin(id, next)
  }

  #refuse(id: string | number | null, code: number, message: string, data?: object): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message, data } })
  }

  #write(message: object): void {
    const unread = this.#socket.writableLength
    if (unread <= maxUnread) return void this.#socket.write(`${JSON.stringify(message)}\n`)
    if (this.#socket.destroyed) return
    this.#events.onUnread(unread)
    this.#socket.destroy()
  }
}

/** Whether the library accepts the message. It drops all others silently, and their sender would wait. */
function isWellFormed(message: unknown): boolean {
  return isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)
}

function idOf({ id }: Readonly<Record<string, unknown>>): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

function parsed(line: string): unknown {
  try {
    // Up to here parsing is quick, and the refusal that follows names the request.
    return nestsDeeper(line, 100_000) ? undefined : JSON.parse(line)
  } catch {
    return undefined
  }
}
