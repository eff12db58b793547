import { existsSync } from 'node:fs'
import type { JsonRpcMessage } from '../../../adapters/client/json-rpc.ts'
import { LineConnection } from '../../../adapters/client/line-connection.ts'
import type { FoundDaemon } from '../find-daemon.ts'

export interface HomeLinesParts {
  readonly directory: string | undefined
  /** Set inside an agent, which calls over HTTP: there it is known. */
  readonly tag: string | undefined
  readonly send: (message: JsonRpcMessage) => void
}

/** The bridge's connection to the Unix socket of the daemon, one for all requests. */
export class HomeLines {
  readonly #parts: HomeLinesParts
  #connection: Promise<LineConnection | undefined> = Promise.resolve(undefined)

  constructor(parts: HomeLinesParts) {
    this.#parts = parts
  }

  /** Undefined where the daemon offers none: then there is HTTP. */
  async to({ socketPath, mcp }: FoundDaemon): Promise<LineConnection | undefined> {
    const { directory, tag, send } = this.#parts
    const asked = this.#connection
    const known = await asked
    if (known?.isOpen) return known
    if (tag !== undefined || socketPath === undefined || !existsSync(socketPath)) return undefined
    // Another request may have begun to connect meanwhile.
    if (this.#connection === asked) {
      this.#connection = LineConnection.open({ path: socketPath, token: mcp.token, directory, onNotification: send })
    }
    return this.#connection
  }

  async close(): Promise<void> {
    const known = await this.#connection
    known?.close()
  }
}
