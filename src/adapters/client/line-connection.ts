import type { Socket } from 'node:net'
import { type DaemonHello, daemonWelcome } from '../../base/protocol/daemon.ts'
import { unreachable } from './exchange.ts'
import type { JsonRpcMessage, JsonRpcRequest } from './json-rpc.ts'
import { LineChannel } from './line-channel.ts'

export interface LineEndpoint extends DaemonHello {
  /** The daemon's Unix socket. */
  readonly path: string
  /** Called for messages from the daemon that are not answers. */
  readonly onNotification?: (message: JsonRpcMessage) => void
}

const welcomeMs = 2000

/** MCP with the daemon over the home socket, with one message per line and without HTTP. */
export class LineConnection {
  readonly #socket: Socket
  readonly #channel: LineChannel

  /**
   * Resolves to undefined if nobody is listening there, or if the daemon refuses this caller, who can then use HTTP.
   */
  static open({ path, onNotification, token, directory, share }: LineEndpoint): Promise<LineConnection | undefined> {
    return new Promise((resolve) => {
      // Not imported, because that would take longer than the rest of a command (see send.ts).
      const socket: Socket = process.getBuiltinModule('node:net').connect(path)
      socket.setTimeout(welcomeMs, () => socket.destroy())
      socket.on('error', () => {}).on('close', () => resolve(undefined))
      // The welcome has a few bytes that are written at once, so a local socket delivers them as one chunk.
      socket.once('data', (chunk: Buffer) => {
        socket.setTimeout(0)
        if (chunk.equals(Buffer.from(daemonWelcome))) resolve(new LineConnection(socket, onNotification))
        else socket.destroy()
      })
      socket.write(`${JSON.stringify({ token, directory, share } satisfies DaemonHello)}\n`)
    })
  }

  private constructor(socket: Socket, onNotification: LineEndpoint['onNotification']) {
    this.#socket = socket
    this.#channel = new LineChannel({
      write: (text) => socket.write(text),
      onNonsense: () => socket.destroy(),
      onOther: onNotification,
    })
    socket.on('data', (chunk: Buffer) => this.#channel.push(chunk))
    socket.on('close', () => this.#channel.end(unreachable(undefined)))
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /**
   * Resolves with the answer. Throws `daemon_unreachable` if the connection ends first. Aborting the signal withdraws
   * the request.
   */
  request(message: JsonRpcRequest, signal: AbortSignal): Promise<JsonRpcMessage> {
    return this.#channel.request(message, signal)
  }

  send(message: JsonRpcMessage): void {
    this.#channel.send(message)
  }

  close(): void {
    this.#socket.destroy()
  }
}
