import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { LineSplitter } from '../../src/base/lib/line-splitter.ts'
import { irisArguments } from '../support/real-claude.ts'

export type Line = Readonly<Record<string, unknown>> & {
  readonly type?: string
  readonly subtype?: string
  readonly uuid?: string
  readonly isReplay?: boolean
  readonly request_id?: string
  readonly request?: Readonly<Record<string, unknown>>
  readonly response?: Readonly<Record<string, unknown>>
}

/** How the host answers what it is asked; undefined: it does not answer. */
export interface HostAnswers {
  hook: (input: Readonly<Record<string, unknown>>) => object | undefined
  permission: (request: Readonly<Record<string, unknown>>) => object | undefined
  mcp: (message: Readonly<Record<string, unknown>>) => object | undefined
}

interface CliDriverOptions {
  readonly claudePath: string
  readonly session: readonly string[]
  readonly cwd: string
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly answers?: Partial<HostAnswers>
}

const deadlineMs = 20_000

/** A host at the other end of the pipe of a Claude Code, fake or real: asks, answers, waits for lines. */
export class CliDriver implements AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  readonly lines: Line[] = []
  readonly raw: string[] = []
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>
  stderr = ''
  readonly #answers: HostAnswers
  #woken = Promise.withResolvers<void>()
  #ended = false

  constructor({ claudePath, session, cwd, env, answers }: CliDriverOptions) {
    this.#answers = { ...willing, ...answers }
    this.child = spawn(claudePath, [...irisArguments, ...session], { cwd, env: { ...env }, stdio: 'pipe' })
    const splitter = new LineSplitter({
      maxLineBytes: 64 * 1024 * 1024,
      onLine: (line) => this.#receive(line),
      onOversize: () => {},
    })
    this.child.stdout.on('data', (chunk: Buffer) => splitter.push(chunk))
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString()
    })
    this.child.stdin.on('error', () => {})
    this.exited = new Promise((resolve, reject) => {
      this.child.on('error', reject)
      this.child.on('close', (code, signal) => {
        this.#ended = true
        this.#wake()
        resolve({ code, signal })
      })
    })
  }

  send(value: unknown): void {
    this.child.stdin.write(`${JSON.stringify(value)}\n`)
  }

  message(text: string, uuid: string = randomUUID()): string {
    const message = { role: 'user', content: [{ type: 'text', text }] }
    this.send({ type: 'user', uuid, message, session_id: '', parent_tool_use_id: null })
    return uuid
  }

  async ask(request: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
    const request_id = randomUUID()
    this.send({ type: 'control_request', request_id, request })
    const line = await this.until((it) => it.type === 'control_response' && it.response?.['request_id'] === request_id)
    return line.response ?? {}
  }

  initialize(): Promise<Readonly<Record<string, unknown>>> {
    const hooks = { PreToolUse: [{ matcher: '*', hookCallbackIds: ['pre'] }] }
    return this.ask({ subtype: 'initialize', hooks, sdkMcpServers: ['iris'] })
  }

  /** Sends a message and waits for one more result. */
  async turn(text: string, uuid?: string): Promise<Line> {
    const before = this.results.length
    this.message(text, uuid)
    await this.until(() => this.results.length > before)
    return this.results[before] as Line
  }

  get results(): Line[] {
    return this.lines.filter((line) => line.type === 'result')
  }

  /** The first line, past or to come, that is what is wanted. Rejects after 20 s or when the process ends without it. */
  async until(wanted: (line: Line) => boolean): Promise<Line> {
    const deadline = AbortSignal.timeout(deadlineMs)
    const late = new Promise<void>((resolve) => deadline.addEventListener('abort', () => resolve(), { once: true }))
    for (;;) {
      const found = this.lines.find(wanted)
      if (found !== undefined) return found
      if (this.#ended || deadline.aborted)
        throw new Error(`no such line: ${wanted.toString()}\n${this.transcriptOfLines()}`)
      await Promise.race([this.#woken.promise, late])
    }
  }

  transcriptOfLines(): string {
    return `${this.lines.map((line) => JSON.stringify(line).slice(0, 300)).join('\n')}\nstderr: ${this.stderr}`
  }

  /** Ends stdin and waits for the process. */
  async end(): Promise<number | null> {
    this.child.stdin.end()
    return (await this.exited).code
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL')
    await this.exited
  }

  #receive(text: string): void {
    const line = parse(text)
    if (line === undefined) this.raw.push(text)
    else {
      this.lines.push(line)
      if (line.type === 'control_request') this.#answer(line)
    }
    this.#wake()
  }

  #wake(): void {
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }

  #answer({ request_id, request = {} }: Line): void {
    const response = this.#decide(request)
    if (response === undefined) return
    this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } })
  }

  #decide(request: Readonly<Record<string, unknown>>): object | undefined {
    if (request['subtype'] === 'hook_callback') return this.#answers.hook(request['input'] as Line)
    if (request['subtype'] === 'can_use_tool') return this.#answers.permission(request)
    const mcp_response = this.#answers.mcp(request['message'] as Line)
    return mcp_response && { mcp_response }
  }
}

/** An `iris` server with one tool, `shout`. */
export function answerMcp(message: Readonly<Record<string, unknown>>): object {
  const { method, id, params } = message
  const reply = (result: object) => ({ jsonrpc: '2.0', id: id ?? 0, result })
  if (method === 'initialize') {
    const serverInfo = { name: 'iris', version: '1' }
    return reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo })
  }
  if (method === 'tools/list') {
    const inputSchema = { type: 'object', properties: { word: { type: 'string' } } }
    const _meta = { 'anthropic/alwaysLoad': true }
    return reply({ tools: [{ name: 'shout', description: 'Says a word loudly', inputSchema, _meta }] })
  }
  if (method === 'tools/call') {
    const { arguments: input } = params as { readonly arguments: { readonly word?: string } }
    return reply({ content: [{ type: 'text', text: `${input.word?.toUpperCase()}!` }] })
  }
  return reply({})
}

const willing: HostAnswers = {
  hook: () => ({ continue: true }),
  permission: ({ input }) => ({ behavior: 'allow', updatedInput: input }),
  mcp: answerMcp,
}

function parse(text: string): Line | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
