import type { IncomingMessage } from 'node:http'
import { createParser } from 'eventsource-parser'
import { isRecord } from '../../base/lib/is-record.ts'
import { processTagHeader, projectDirectoryHeader, shareHeader } from '../../base/protocol/daemon.ts'
import { IrisError } from '../../base/protocol/error.ts'
import {
  errorAnswer,
  isAnswerTo,
  isMessage,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcRequest,
  serverError,
} from './json-rpc.ts'
import { parsed, send } from './send.ts'
import { standardHeaders } from './standard-headers.ts'

/** A daemon's MCP endpoint, and the caller's identity there. */
export interface Endpoint {
  readonly url: string
  readonly token: string
  /**
   * Real path of the caller's directory. The call is made as the team of that directory. If absent, it is made as no
   * team.
   */
  readonly directory?: string | undefined
  /** The process tag of the agent that started this process, if one did. */
  readonly tag?: string | undefined
  /** See `shareHeader`. */
  readonly share?: string | undefined
}

/**
 * Sends one message and yields every message that comes back; the answer to a request comes last. Throws Unanswered if
 * the connection is refused or ends before the answer. If `signal` is aborted, throws the signal's reason.
 */
export async function* exchange(
  endpoint: Endpoint,
  message: JsonRpcMessage,
  signal: AbortSignal,
): AsyncGenerator<JsonRpcMessage> {
  let answered = !isRequest(message)
  try {
    for await (const incoming of messagesIn(await post(endpoint, message, signal), message)) {
      answered ||= isAnswerTo(incoming, message)
      yield incoming
    }
  } catch (error) {
    if (!answered) throw signal.aborted ? signal.reason : unreachable(error)
  }
  if (!answered) throw unreachable(undefined)
}

/** Returns the answer to one request and drops the messages before it. Throws what `exchange` throws. */
export async function request(
  endpoint: Endpoint,
  message: JsonRpcRequest,
  signal: AbortSignal,
): Promise<JsonRpcMessage> {
  for await (const incoming of exchange(endpoint, message, signal)) {
    if (isAnswerTo(incoming, message)) return incoming
  }
  throw unreachable(undefined)
}

function post(
  { url, token, directory, tag, share }: Endpoint,
  message: JsonRpcMessage,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return send(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(directory !== undefined && { [projectDirectoryHeader]: encodeURIComponent(directory) }),
      ...(tag !== undefined && { [processTagHeader]: tag }),
      ...(share !== undefined && { [shareHeader]: share }),
      ...standardHeaders(message),
    },
    body: JSON.stringify(message),
    signal,
  })
}

async function* messagesIn(answer: IncomingMessage, asked: JsonRpcMessage): AsyncGenerator<JsonRpcMessage> {
  const pieces = answer.setEncoding('utf8') as AsyncIterable<string>
  if (answer.headers['content-type']?.startsWith('text/event-stream')) return yield* messagesOf(pieces)
  let text = ''
  for await (const piece of pieces) text += piece
  if (isRequest(asked)) yield answerIn(text, answer.statusCode, asked)
}

async function* messagesOf(pieces: AsyncIterable<string>): AsyncGenerator<JsonRpcMessage> {
  const received: JsonRpcMessage[] = []
  const parser = createParser({
    onEvent: ({ data }) => {
      // An event without data is a keep-alive.
      if (data !== '') received.push(JSON.parse(data))
    },
  })
  for await (const piece of pieces) {
    parser.feed(piece)
    yield* received.splice(0)
  }
}

/**
 * The answer in a body that is not a stream: a JSON-RPC answer, or a refusal by the HTTP layer, which is turned into a
 * JSON-RPC error.
 */
function answerIn(text: string, status: number | undefined, { id }: JsonRpcRequest): JsonRpcMessage {
  const body = parsed(text)
  // The server does not always know the id of the request that it refuses.
  if (isMessage(body)) return { ...body, id }
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {}
  const { message = `The daemon answered with HTTP ${status}.`, remedy = '', ...data } = error
  return errorAnswer(id, serverError, [message, remedy].join(' ').trim(), { ...data, remedy })
}

/** The daemon did not answer a request. */
export class Unanswered extends IrisError {
  /** True if the request may have reached the daemon, which may then have acted on it. False if nothing was sent. */
  readonly wasSent: boolean

  constructor(wasSent: boolean, cause: unknown) {
    const what = wasSent
      ? 'The connection to the daemon broke before its answer: the call may have taken effect.'
      : 'The daemon does not answer: nothing was sent.'
    super('daemon_unreachable', what, 'Run "iris start".', { cause })
    this.wasSent = wasSent
  }
}

const beforeSending = ['ECONNREFUSED', 'ENOENT', 'EACCES', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EMFILE']

export function unreachable(cause: unknown): Unanswered {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return new Unanswered(!beforeSending.includes(code ?? ''), cause)
}
