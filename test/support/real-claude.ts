import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { LineSplitter } from '../../src/lib/line-splitter.ts'

/** The real CLI in two versions: the newest, and the one that npm picks on Node 20. */
export const claudeVersions = ['2.1.330', '2.1.197'] as const
export type ClaudeVersion = (typeof claudeVersions)[number]

const platformPackage = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`
const places: Record<ClaudeVersion, string> = {
  '2.1.330': `node_modules/${platformPackage}`,
  '2.1.197': `node_modules/claude-code-2.1.197/node_modules/${platformPackage}`,
}

export function claudeBinary(version: ClaudeVersion): string {
  const file = new URL(`../../${places[version]}`, import.meta.url).pathname
  if (!existsSync(file)) throw new Error(`Claude Code ${version} is not installed: no ${places[version]}`)
  return file
}

/** Everything the CLI gets, built from nothing: a home of its own, a model on the loopback, no way to the rest. */
export function cliEnvironment(at: { version: ClaudeVersion; home: string; modelUrl: string }): Record<string, string> {
  return {
    HOME: at.home,
    // Else sockets and outputs of tools stay behind in the system's own.
    TMPDIR: at.home,
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: at.modelUrl,
    ANTHROPIC_API_KEY: 'dummy',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    // The older version does not know the variable above.
    ...(at.version === '2.1.197' && { CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' }),
  }
}

/** What Iris passes to every CLI, without the session. */
export const irisArguments = [
  '--print',
  '--verbose',
  ...['--input-format', 'stream-json', '--output-format', 'stream-json'],
  '--replay-user-messages',
  '--include-partial-messages',
  ...['--permission-prompt-tool', 'stdio'],
  ...['--permission-mode', 'default'],
  '--strict-mcp-config',
  ...['--allowedTools', 'mcp__iris'],
  ...['--disallowedTools', 'SendMessage,ListAgents,ScheduleWakeup,CronCreate,AskUserQuestion'],
  ...['--settings', '{"cleanupPeriodDays":36500,"crossSessionInbound":"refuse"}'],
]

/** One line, unchecked: what is in it is for the pins to say. Leaves are read with `String`, `Number` or `expect`. */
export interface Line {
  readonly [key: string]: Line
}

export interface CliOptions {
  readonly version: ClaudeVersion
  readonly cwd: string
  readonly env: Record<string, string>
  /** After `irisArguments`, e.g. `['--session-id', id]`. */
  readonly args?: readonly string[]
  /** Answers a control request of the CLI; undefined leaves it open. An `Error` answers with an error. */
  readonly answer?: (request: Line, requestId: string) => unknown
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const deadlineMs = 40_000

export function startCli(options: CliOptions): Cli {
  return new Cli(options)
}

/** A real CLI on raw pipes. Everything it printed is kept in `lines`, in order. */
export class Cli {
  readonly lines: Line[] = []
  readonly pid: number
  readonly exited: Promise<Exit>
  stderr = ''
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Set<() => void>()
  #requests = 0
  #exit: Exit | undefined

  constructor({ version, cwd, env, args = [], answer }: CliOptions) {
    this.#child = spawn(claudeBinary(version), [...irisArguments, ...args], { cwd, env })
    this.pid = this.#child.pid ?? 0
    const splitter = new LineSplitter({
      maxLineBytes: 64 * 2 ** 20,
      onLine: (text) => this.#read(JSON.parse(text), answer),
      onOversize: () => {},
    })
    this.#child.stdout.on('data', (chunk: Buffer) => splitter.push(chunk))
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString()
    })
    // A process that ended by itself leaves a broken pipe; its exit says so already.
    this.#child.stdin.on('error', () => {})
    this.exited = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        this.#exit = { code, signal }
        this.#wake()
        resolve(this.#exit)
      })
    })
  }

  send(line: unknown): void {
    this.write(`${JSON.stringify(line)}\n`)
  }

  write(bytes: string): void {
    this.#child.stdin.write(bytes)
  }

  /** Sends a message as Iris does. Returns its uuid. */
  say(text: string, uuid: string = crypto.randomUUID()): string {
    const message = { role: 'user', content: [{ type: 'text', text }] }
    this.send({ type: 'user', uuid, message, session_id: '', parent_tool_use_id: null })
    return uuid
  }

  /** Sends a control request; the payload of its answer, or the whole answer when that is an error. */
  async request(request: { subtype: string; [key: string]: unknown }): Promise<Line> {
    this.#requests += 1
    const requestId = `q${this.#requests}`
    this.send({ type: 'control_request', request_id: requestId, request })
    const { response } = await this.line({ type: 'control_response', response: { request_id: requestId } })
    return holds(response, { subtype: 'success' }) ? (response?.response ?? {}) : (response ?? {})
  }

  respond(requestId: string, response: unknown): void {
    const result =
      response instanceof Error ? { subtype: 'error', error: response.message } : { subtype: 'success', response }
    this.send({ type: 'control_response', response: { ...result, request_id: requestId } })
  }

  /** The first line at or after `since` that holds `part`. Fails after 15 s, or when the process ends without it. */
  async line(part: object, since = 0): Promise<Line> {
    return this.until(() => this.lines.slice(since).find((line) => holds(line, part)), JSON.stringify(part))
  }

  /** Waits for `look` to return something; it is asked again after every line and at the exit. */
  async until<T>(look: () => T | undefined, what: string): Promise<T> {
    const late = AbortSignal.timeout(deadlineMs)
    for (;;) {
      const found = look()
      if (found !== undefined) return found
      if (this.#exit !== undefined || late.aborted) throw new Error(this.#missed(what))
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve)
        late.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  /** Says something and waits for the next result; all lines from then to there. */
  async turn(text: string, uuid?: string): Promise<Line[]> {
    const since = this.lines.length
    this.say(text, uuid)
    const result = await this.line({ type: 'result' }, since)
    return this.lines.slice(since, this.lines.indexOf(result) + 1)
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    this.#child.kill(signal)
    return this.exited
  }

  /** Closes stdin. */
  end(): Promise<Exit> {
    this.#child.stdin.end()
    return this.exited
  }

  #read(line: Line, answer: CliOptions['answer']): void {
    this.lines.push(line)
    if (holds(line, { type: 'control_request' }) && answer !== undefined) {
      const requestId = String(line.request_id)
      const response = answer(line.request ?? {}, requestId)
      if (response !== undefined) this.respond(requestId, response)
    }
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }

  #missed(what: string): string {
    const seen = this.lines
      .slice(-40)
      .map((line) => `${line.type}${line.subtype ? `/${line.subtype}` : ''}`)
      .join(' ')
    return `no ${what}\nexit: ${JSON.stringify(this.#exit)}\nlines: ${seen}\nstderr: ${this.stderr}`
  }
}

/** True when every leaf of `part` is in `whole` at the same place. */
export function holds(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(whole, part)
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(([key, value]) => holds((whole as Record<string, unknown>)[key], value))
}
