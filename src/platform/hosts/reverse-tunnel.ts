import type { Clock } from '../../base/lib/clock.ts'
import type { CommandShell } from './command-shell.ts'
import type { HostChannel } from './host.ts'
import { hostFailure } from './host-failure.ts'

export type TunnelState =
  | { readonly kind: 'closed' }
  /** `port`: the port on the machine's loopback interface that leads to this machine. */
  | { readonly kind: 'open'; readonly port: number }
  | { readonly kind: 'failed'; readonly why: string }

export interface ReverseTunnelParts {
  readonly shell: CommandShell
  readonly clock: Clock
  /**
   * Listens on a Unix socket of this machine; has no effect if Iris already listens there. Only the endpoints of that
   * machine's sessions answer there.
   */
  readonly serve: (socket: string) => Promise<void>
  /** The tunnel is lost or has a different port than before. `why` continues after the name of the machine. */
  readonly onTrouble: (why: string) => void
}

const retryMs = 5000
/** The output of ssh for `-R 0:`. */
const portForm = /^(\d{1,5})\s*$/

/**
 * A port of another machine that leads to a Unix socket of this one, for all sessions there. The tunnel belongs to the
 * shared connection. After a loss, Iris opens the tunnel again, on the same port if that is still free.
 */
export class ReverseTunnel {
  readonly #parts: ReverseTunnelParts
  #state: TunnelState = { kind: 'closed' }
  #opening: Promise<number> | undefined
  /** A shell on the shared connection. When it ends, the connection and its tunnel have ended too. */
  #witness: HostChannel | undefined
  #lastPort = 0
  /** The port that ssh was asked for, which identifies the tunnel when it is closed; 0 if ssh chose the port. */
  #asked = 0
  #users = 0
  #cancelRetry = (): void => {}

  constructor(parts: ReverseTunnelParts) {
    this.#parts = parts
  }

  get state(): TunnelState {
    return this.#state
  }

  /**
   * Resolves with the port there. The tunnel stays open until each user has called `release`. Rejects with HostFailure.
   */
  async use(): Promise<{ readonly port: number; readonly release: () => void }> {
    this.#users += 1
    let isReleased = false
    const release = (): void => {
      if (isReleased) return
      isReleased = true
      this.#users -= 1
      if (this.#users === 0) this.close()
    }
    try {
      return { port: await this.#opened(), release }
    } catch (error) {
      // No tunnel is open; the state says why.
      this.#users -= 1
      throw error
    }
  }

  /** Closes the tunnel. The shared connection may stay open. */
  close(): void {
    this.#cancelRetry()
    const witness = this.#witness
    this.#witness = undefined
    this.#opening = undefined
    if (this.#state.kind === 'open') void this.#forward('cancel', this.#asked).catch(() => {})
    this.#state = { kind: 'closed' }
    void witness?.stop('now')
  }

  #opened(): Promise<number> {
    if (this.#opening !== undefined) return this.#opening
    this.#cancelRetry()
    const opening = this.#open().catch((error: unknown) => {
      if (this.#opening === opening) this.#opening = undefined
      this.#state = { kind: 'failed', why: error instanceof Error ? error.message : String(error) }
      throw error
    })
    this.#opening = opening
    return opening
  }

  async #open(): Promise<number> {
    const { shell, serve } = this.#parts
    if (shell.tunnelSocket === undefined) {
      throw hostFailure('no_tunnel', 'only ssh can open a tunnel back, and remote names another program', shell.typed)
    }
    try {
      await serve(shell.tunnelSocket)
    } catch (error) {
      throw hostFailure('no_tunnel', 'Iris cannot listen for connections from it', shell.typed, error)
    }
    const witness = await shell.open()
    let port: number
    try {
      port = await this.#portThere()
    } catch (error) {
      void witness.stop('now')
      throw error
    }
    if (this.#users === 0) {
      void witness.stop('now')
      return port
    }
    if (this.#lastPort !== 0 && port !== this.#lastPort) {
      this.#parts.onTrouble(
        `the tunnel now leads from port ${port}; processes that know port ${this.#lastPort} lost it`,
      )
    }
    this.#lastPort = port
    this.#witness = witness
    this.#state = { kind: 'open', port }
    void witness.exited.then(() => this.#lost(witness))
    return port
  }

  async #portThere(): Promise<number> {
    if (this.#lastPort !== 0) {
      const again = await this.#forward('forward', this.#lastPort).catch(() => undefined)
      this.#asked = this.#lastPort
      if (again !== undefined) return this.#lastPort
    }
    this.#asked = 0
    const said = portForm.exec(await this.#forward('forward', 0))?.[1]
    const port = Number(said)
    if (said === undefined || port < 1 || port > 65_535) {
      throw hostFailure('no_tunnel', 'ssh did not report a port on the machine', this.#parts.shell.typed)
    }
    return port
  }

  /** Resolves with the output of ssh. */
  async #forward(what: 'forward' | 'cancel', port: number): Promise<string> {
    const { shell } = this.#parts
    const { code, output, stderr } = await shell.control(what, ['-R', `127.0.0.1:${port}:${shell.tunnelSocket}`])
    if (code === 0) return output
    const why = stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
    throw hostFailure('no_tunnel', `the server there refuses a tunnel (${why})`, shell.typed)
  }

  #lost(witness: HostChannel): void {
    if (this.#witness !== witness) return
    this.#witness = undefined
    this.#opening = undefined
    this.#state = { kind: 'failed', why: 'the connection was lost' }
    this.#retry()
  }

  #retry(): void {
    if (this.#users === 0) return
    this.#opened().catch((error: unknown) => {
      this.#parts.onTrouble(`there is no tunnel: ${error instanceof Error ? error.message : String(error)}`)
      this.#cancelRetry = this.#parts.clock.after(retryMs, () => this.#retry())
    })
  }
}
