import { randomBytes } from 'node:crypto'
import { sha256 } from '../../base/lib/sha256.ts'
import type { ControlHandler } from '../../claude/driver/control-handler.ts'
import type { Session } from '../session/session.ts'

/** What a token opens while its process lives. */
export interface SessionEndpoint {
  readonly session: Session
  /** Of the process. */
  readonly startId: string
  readonly mayUse: ControlHandler['mayUse']
  /** The machine where the process runs; undefined: this one. From nowhere else does the token open anything. */
  readonly machine: string | undefined
}

interface Held extends SessionEndpoint {
  readonly sessionId: string
}

/** So many tokens of ended processes are still known as such. */
const maxEnded = 1000

/**
 * `/mcp/:sessionId`: each start of a process has a token of its own, which dies with it. Only hashes are kept; they are
 * looked up, not compared, so that time tells nothing of a token.
 */
export class SessionEndpoints {
  readonly #open = new Map<string, Held>()
  /** The session ids of processes that have ended, oldest first. */
  readonly #ended = new Map<string, string>()

  /** 256 bits; `close` is called when the process has gone. */
  open(endpoint: SessionEndpoint): { token: string; close: () => void } {
    const token = randomBytes(32).toString('base64url')
    const hash = sha256(token)
    const { sessionId } = endpoint.session
    this.#open.set(hash, { ...endpoint, sessionId })
    return { token, close: () => this.#close(hash, sessionId) }
  }

  /** The id opens nothing: whose token it is not learns nothing about it, not even whether it exists. */
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
