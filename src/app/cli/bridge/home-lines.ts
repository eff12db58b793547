import { existsSync } from 'node:fs'
import type { JsonRpcMessage } from '../../../adapters/client/json-rpc.ts'
import { LineConnection } from '../../../adapters/client/line-connection.ts'
import { shareText } from '../../../platform/config/share.ts'
import type { FoundDaemon } from '../find-daemon.ts'

export interface HomeLinesParts {
  readonly directory: string | undefined
  /** Set inside an agent. Agents call over HTTP, where the tag identifies them. */
  readonly tag: string | undefined
  readonly send: (message: JsonRpcMessage) => void
  /** The name of the bridge's share of calls. */
  readonly shareName: string
}

/** The bridge's one connection to the daemon's Unix socket, for all requests. */
export class HomeLines {
  readonly #parts: HomeLinesParts
  #connection: Promise<LineConnection | undefined> = Promise.resolve(undefined)

  constructor(parts: HomeLinesParts) {
    this.#parts = parts
  }

  /** The connection. Undefined if the socket cannot be used; the bridge then uses HTTP. */
  async to(daemon: FoundDaemon): Promise<LineConnection | undefined> {
    const { socketPath, mcp } = daemon
    const { directory, tag, send, shareName } = this.#parts
    const asked = this.#connection
    const known = await asked
    if (known?.isOpen) return known
    if (tag !== undefined || socketPath === undefined || !existsSync(socketPath)) return undefined
    // Another request may be connecting already.
    if (this.#connection === asked) {
      const hello = { token: mcp.token, directory, share: shareOf(daemon, shareName) }
      this.#connection = LineConnection.open({ path: socketPath, ...hello, onNotification: send })
    }
    return this.#connection
  }

  async close(): Promise<void> {
    const known = await this.#connection
    known?.close()
  }
}

/** A bridge's share of calls; undefined where the owner's credential cannot be read, as inside an agent. */
export function shareOf({ owner }: FoundDaemon, shareName: string): string | undefined {
  return owner === undefined ? undefined : shareText(shareName, owner)
}
