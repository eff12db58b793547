import { randomBytes } from 'node:crypto'
import type { ControlHandler } from '../../base/agent/control-handler.ts'
import { sha256 } from '../../base/lib/sha256.ts'
import type { Session } from '../session/session.ts'

/** What a token gives access to while its process is alive. */
export interface SessionEndpoint {
  readonly session: Session
  /** The id of the process's start. */
  readonly startId: string
  readonly mayUse: ControlHandler['mayUse']
  /** The machine of the process. Undefined for this machine. The token is valid only from there. */
  readonly machine: string | undefined
}

interface Held extends SessionEndpoint {
  readonly sessionId: string
}

/** How many tokens of ended processes to remember. */
const maxEnded = 1000

/**
 * The tokens for `/mcp/:sessionId`. Each start of a process has its own token, which is valid until the process ends.
 * Only the tokens' hashes are stored and looked up, so response times reveal nothing about a token.
 */
export class SessionEndpoints {
  readonly #open = new Map<string, Held>()
  /** Session ids by the token hash of ended processes, oldest first. */
  readonly #ended = new Map<string, string>()

  /** Creates a token of 256 random bits. Call `close` when the process has ended. */
  open(endpoint: SessionEndpoint): { token: string; close: () => void } {
    const token = randomBytes(32).toString('base64url')
    const hash = sha256(token)
    const { sessionId } = endpoint.session
    this.#open.set(hash, { ...endpoint, sessionId })
    return { token, close: () => this.#close(hash, sessionId) }
  }

  /** Finds the endpoint of a token. Returns undefined for a wrong token, whether or not the session id exists. */
  find(sessionId: string, token: string, machine?: string): SessionEndpoint | 'ended' | undefined {
    const hash = sha256(token)
    const endpoint = this.#open.get(hash)
    if (endpoint?.sessionId === sessionId && endpoint.machine === machine) return endpoint
    return this.#ended.get(hash) === sessionId ? 'ended' : undefined
  }

  #close(hash: string, sessionId: string): void {
    if (!this.#open.delete(hash)) return
    this.#ended.set(hash, sessionId)
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest)
  }
}
