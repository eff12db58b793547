import { EventSourceParserStream } from 'eventsource-parser/stream'
import { isRecord } from '../lib/is-record.ts'
import { processMarkHeader, projectDirectoryHeader } from '../protocol/daemon.ts'
import { IrisError } from '../protocol/error.ts'
import {
  errorAnswer,
  isAnswerTo,
  isMessage,
  isRequest,
  type JsonRpcMessage,
  type JsonRpcRequest,
  serverError,
} from './json-rpc.ts'
import { standardHeaders } from './standard-headers.ts'

/** Where a daemon's MCP endpoint is, and as whom to speak there. */
export interface Endpoint {
  readonly url: string
  readonly token: string
  /** Real path of the directory whose team speaks; absent: nobody's. */
  readonly directory?: string | undefined
  /** The mark of the agent in which this process was started, if it was. */
  readonly mark?: string | undefined
}

/**
 * Sends one message and yields every message that comes back, the answer to a request last. Throws
 * `daemon_unreachable` when the connection is refused or ends before the answer: whether the daemon has begun to act on
 * the request is then unknown. Aborting `signal` ends it with the signal's reason.
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
    if (!answered) throw signal.aborted ? error : unreachable(error)
  }
  if (!answered) throw unreachable(undefined)
}

/** The answer to one request; what comes before it goes unheard. */
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
  { url, token, directory, mark }: Endpoint,
  message: JsonRpcMessage,
  signal: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(directory !== undefined && { [projectDirectoryHeader]: encodeURIComponent(directory) }),
      ...(mark !== undefined && { [processMarkHeader]: mark }),
      ...standardHeaders(message),
    },
    body: JSON.stringify(message),
    signal,
  })
}

async function* messagesIn(response: Response, asked: JsonRpcMessage): AsyncGenerator<JsonRpcMessage> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body) {
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const { data } of events) {
      // An event without data only says that the stream is alive.
      if (data !== '') yield JSON.parse(data)
    }
    return
  }
  const text = await response.text()
  if (isRequest(asked)) yield answerIn(text, response.status, asked)
}

/** An answer outside a stream is a refusal, by MCP itself or by what stands before it. */
function answerIn(text: string, status: number, { id }: JsonRpcRequest): JsonRpcMessage {
  const body = parsed(text)
  // The server does not always find out which request it refuses.
  if (isMessage(body)) return { ...body, id }
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {}
  const { message = `The daemon answered with HTTP ${status}.`, remedy = '', ...data } = error
  return errorAnswer(id, serverError, [message, remedy].join(' ').trim(), { ...data, remedy })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unreachable(cause: unknown): IrisError {
  return new IrisError('daemon_unreachable', 'The daemon does not answer.', 'Run "iris start".', { cause })
}
