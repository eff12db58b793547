import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { type Deferred, deferred } from '../lib/deferred.ts'
import { LineSplitter } from '../lib/line-splitter.ts'
import { IrisError } from '../protocol/error.ts'
import type { OperationName } from '../protocol/operations/index.ts'
import { irisVersion } from '../protocol/version.ts'
import type { JsonRpcId, JsonRpcMessage, JsonRpcRequest } from './json-rpc.ts'
import { type Input, type Output, toolCall, toolResult } from './tool-call.ts'

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const maxLineBytes = 64 * 1024 * 1024
const endMs = 5000

/** A small MCP client on the stdio of a server that it starts: enough to call Iris's tools as any MCP client does. */
export class StdioClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #open = new Map<JsonRpcId, Deferred<JsonRpcMessage>>()
  readonly #exited = deferred<void>()
  #lastId = 0
  #gone: string | undefined

  /** Starts the server and shakes hands. Its stderr is the caller's. */
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

  private constructor({ command, args, cwd, env }: ServerCommand) {
    this.#child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = new LineSplitter({
      maxLineBytes,
      onLine: (line) => this.#receive(line),
      onOversize: () => this.#fail('sent a line that is too long'),
    })
    this.#child.stdout.on('data', (chunk: Buffer) => lines.push(chunk))
    // Its exit says what a broken pipe would.
    this.#child.stdin.on('error', () => {})
    this.#child.on('error', (error) => this.#end(error.message))
    this.#child.on('close', (code, signal) => this.#end(`ended (${signal ?? `exit code ${code}`})`))
  }

  /** Calls an operation as an MCP tool. */
  async call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    return toolResult(name, await this.#request(toolCall(this.#nextId(), name, input)))
  }

  /** Closes the server's stdin, which ends it; kills it if it stays. */
  async close(): Promise<void> {
    this.#child.stdin.end()
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), endMs)
    await this.#exited.promise
    clearTimeout(kill)
  }

  async #initialize(): Promise<void> {
    const clientInfo = { name: 'iris', version: irisVersion }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const { error } = await this.#request({ jsonrpc: '2.0', id: this.#nextId(), method: 'initialize', params })
    if (error) throw new IrisError('daemon_unreachable', error.message, 'See the daemon log.')
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  #request(message: JsonRpcRequest): Promise<JsonRpcMessage> {
    const answer = deferred<JsonRpcMessage>()
    this.#open.set(message.id, answer)
    if (this.#gone === undefined) this.#send(message)
    else this.#fail(this.#gone)
    return answer.promise
  }

  #send(message: JsonRpcMessage): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #receive(line: string): void {
    const message = parsed(line)
    if (message === undefined) return this.#fail('sent a line that is not JSON')
    if (message.method !== undefined || message.id === undefined || message.id === null) return
    this.#open.get(message.id)?.resolve(message)
    this.#open.delete(message.id)
  }

  #nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  #fail(how: string): void {
    for (const answer of this.#open.values()) {
      answer.reject(new IrisError('daemon_unreachable', `The MCP server ${how}.`, 'Its stderr says why.'))
    }
    this.#open.clear()
  }

  #end(how: string): void {
    this.#gone ??= how
    this.#fail(how)
    this.#exited.resolve()
  }
}

function parsed(line: string): JsonRpcMessage | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
