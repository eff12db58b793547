import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { deferred } from '../../base/lib/deferred.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import type { OperationName } from '../../features/contracts.ts'
import { LineChannel } from './line-channel.ts'
import { type Input, type Output, toolCall, toolResult } from './tool-call.ts'

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called with the server's process when it has started. */
  readonly onSpawn?: ((pid: number) => void) | undefined
}

const killAfterMs = 5000

/**
 * A small MCP client on the stdio of a server that it starts. It can do enough to call Iris's tools as any MCP client
 * does.
 */
export class StdioClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #channel: LineChannel
  readonly #exited = deferred<void>()
  #lastId = 0

  /** Starts the server and initializes MCP. The server inherits the caller's stderr. */
  static async start(server: ServerCommand): Promise<StdioClient> {
    const client = new StdioClient(server)
    try {
      await client.#initialize()
    } catch (error) {
      await client.close()
      throw error
    }
    return client
  }

  private constructor({ command, args, cwd, env, onSpawn }: ServerCommand) {
    this.#child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
    if (this.#child.pid !== undefined) onSpawn?.(this.#child.pid)
    this.#channel = new LineChannel({
      write: (text) => this.#child.stdin.write(text),
      onNonsense: (what) => this.#fail(`sent ${what}`),
    })
    this.#child.stdout.on('data', (chunk: Buffer) => this.#channel.push(chunk))
    // A broken pipe needs no handling: the server's exit is reported.
    this.#child.stdin.on('error', () => {})
    this.#child.on('error', (error) =>
      this.#end(`could not be started: ${error.message}`, 'Check that the command exists.'),
    )
    this.#child.on('close', (code, signal) => this.#end(`ended (${signal ?? `exit code ${code}`})`))
  }

  /** Calls an operation as an MCP tool. */
  async call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    return toolResult(name, await this.#channel.request(toolCall(this.#nextId(), name, input)))
  }

  /** Closes the server's stdin, which ends the server. Kills the server if it is still running after `killAfterMs`. */
  async close(): Promise<void> {
    this.#child.stdin.end()
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), killAfterMs)
    await this.#exited.promise
    clearTimeout(kill)
  }

  async #initialize(): Promise<void> {
    const clientInfo = { name: 'iris', version: irisVersion }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const { error } = await this.#channel.request({
      jsonrpc: '2.0',
      id: this.#nextId(),
      method: 'initialize',
      params,
    })
    if (error) throw new IrisError('daemon_unreachable', error.message, 'See the daemon log.')
    this.#channel.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  #fail(whatItDid: string, remedy = 'Read what it wrote to stderr.'): void {
    this.#channel.end(new IrisError('daemon_unreachable', `The MCP server ${whatItDid}.`, remedy))
  }

  #end(whatItDid: string, remedy?: string): void {
    this.#fail(whatItDid, remedy)
    this.#exited.resolve()
  }
}
