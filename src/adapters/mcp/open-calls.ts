import { isRecord } from '../../base/lib/is-record.ts'
import { type AuthContext, countedAs } from '../../kernel/call/call.ts'

const sessionHeader = 'mcp-session-id'
/** The form of ids that Iris may have given. */
const sessionId = /^[\x21-\x7e]{1,64}$/

/** The parts of a request that identify its client. */
export interface Sender {
  readonly auth: AuthContext
  readonly headers: Headers
}

type Calls = Map<unknown, AbortController>

/**
 * The open calls of each client over HTTP by request id, so that the client can withdraw them. Clients of the 2025 era
 * withdraw a call in a separate request and leave the call's stream open. Two clients with the same token may use the
 * same request id, so a client is identified by its session endpoint, or by the session id that Iris gives it with
 * `initialize`. Nothing else depends on the session id: Iris accepts every session id, even after a restart.
 */
export class OpenCalls {
  readonly #newId: () => string
  readonly #ofEndpoint = new WeakMap<object, Calls>()
  /** The open calls of each session, by credential and session id. */
  readonly #ofSession = new Map<string, Calls>()

  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** Gives a session id to the client that has sent `initialize`. */
  giveSessionId(response: Response): Response {
    if (response.ok) response.headers.set(sessionHeader, this.#newId())
    return response
  }

  /**
   * Adds a call, so that its client can withdraw it. Returns a function that must be called when the call has ended.
   */
  add(sender: Sender, id: unknown, call: AbortController): () => void {
    const key = keyOf(sender)
    const calls = this.#known(key) ?? new Map<unknown, AbortController>()
    if (typeof key === 'string') this.#ofSession.set(key, calls)
    else if (key !== undefined) this.#ofEndpoint.set(key, calls)
    calls.set(id, call)
    return () => {
      if (calls.get(id) === call) calls.delete(id)
      if (calls.size === 0 && typeof key === 'string' && this.#ofSession.get(key) === calls) this.#ofSession.delete(key)
    }
  }

  /** Withdraws the call that a `notifications/cancelled` names. Ignores all other messages. */
  withdrawIfCancelled(sender: Sender, message: unknown): void {
    if (!isRecord(message) || message['method'] !== 'notifications/cancelled' || !isRecord(message['params'])) return
    this.#known(keyOf(sender))?.get(message['params']['requestId'])?.abort()
  }

  #known(key: object | string | undefined): Calls | undefined {
    if (key === undefined) return undefined
    return typeof key === 'string' ? this.#ofSession.get(key) : this.#ofEndpoint.get(key)
  }
}

/** Identifies the client. Undefined if it is unknown which client sent the request. */
function keyOf({ auth, headers }: Sender): object | string | undefined {
  if (auth.endpoint !== undefined) return auth.endpoint
  const id = headers.get(sessionHeader)
  return id !== null && sessionId.test(id) ? `${countedAs(auth)}\n${id}` : undefined
}
