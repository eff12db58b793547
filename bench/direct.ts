import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { toolsFor } from '../src/adapters/mcp/tools.ts'
import { LineSplitter } from '../src/base/lib/line-splitter.ts'
import { commandLine } from '../src/claude/driver/command-line.ts'
import { irisInstructions } from '../src/claude/driver/envelope.ts'
import { shellQuoted } from '../src/platform/hosts/shell-words.ts'

const serverInfo = { name: 'iris', version: '0' }

/** Which CLI runs, where, and with what environment; `through` as DirectClaude takes it. */
export interface Place {
  readonly executable: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly through?: readonly string[]
}

/** The same CLI with the same words, driven over its pipe by the least code there can be: what Iris is measured against. */
export class DirectClaude {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly sessionId = randomUUID()
  #onInitialized: () => void = () => {}
  #onResult: (text: string) => void = () => {}

  readonly #initialize: object

  /**
   * `asIris`: with the hook and the tools that Iris registers, so that the CLI has the same to carry. `through`: a command line that takes a
   * shell command as its last word, and runs it on another machine.
   */
  constructor(
    executable: string,
    cwd: string,
    env: Readonly<Record<string, string>>,
    asIris = false,
    through?: readonly string[],
  ) {
    const hooks = { PreToolUse: [{ matcher: '*', hookCallbackIds: ['pre'] }] }
    this.#initialize = asIris ? { hooks, sdkMcpServers: ['iris'] } : {}
    const args = commandLine({
      sessionId: this.sessionId,
      resume: false,
      model: undefined,
      agent: undefined,
      allowedTools: [],
      disallowedTools: [],
      appendSystemPrompt: irisInstructions,
      projectMcpServers: false,
      sessionMcp: undefined,
      version: undefined,
    })
    const own = { ...env, CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1' }
    const words = Object.entries(own).map(([name, value]) => `${name}=${value}`)
    const there = ['cd', cwd, '&&', 'exec', 'env', ...[...words, executable, ...args].map(shellQuoted)].join(' ')
    const [program, ...before] = through === undefined ? [executable] : [...through, there]
    this.#child = spawn(program, through === undefined ? args : before, {
      ...(through === undefined ? { cwd, env: own } : { env }),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const lines = new LineSplitter({ maxLineBytes: 2 ** 24, onLine: (line) => this.#take(line), onOversize: () => {} })
    this.#child.stdout.on('data', (chunk: Buffer) => lines.push(chunk))
  }

  initialize(): Promise<void> {
    return new Promise((resolve) => {
      this.#onInitialized = resolve
      this.#send({
        type: 'control_request',
        request_id: 'init',
        request: { subtype: 'initialize', ...this.#initialize },
      })
    })
  }

  turn(text: string): Promise<string> {
    return new Promise((resolve) => {
      this.#onResult = resolve
      this.#send({
        type: 'user',
        uuid: randomUUID(),
        message: { role: 'user', content: [{ type: 'text', text }] },
        session_id: this.sessionId,
        parent_tool_use_id: null,
      })
    })
  }

  async end(): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.stdin.end()
    await exited
  }

  #send(message: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #take(text: string): void {
    const line = JSON.parse(text)
    if (line.type === 'result') this.#onResult(line.result)
    else if (line.type === 'control_response' && line.response.request_id === 'init') this.#onInitialized()
    else if (line.type === 'control_request') this.#answer(line.request_id, line.request.message)
  }

  #answer(
    requestId: string,
    asked: { method?: string; id?: number; params?: { protocolVersion?: string } } | undefined,
  ): void {
    const greeting = { protocolVersion: asked?.params?.protocolVersion, capabilities: { tools: {} }, serverInfo }
    const result =
      asked?.method === 'initialize' ? greeting : asked?.method === 'tools/list' ? { tools: toolsFor('agent') } : {}
    const response = { mcp_response: { jsonrpc: '2.0', id: asked?.id ?? 0, result } }
    this.#send({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } })
  }
}
