import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { LineSplitter } from '../../base/lib/line-splitter.ts'

/** One unchecked line. The code that reads a line assumes its shape, and reads leaves with `String` or `Number`. */
export interface Line {
  readonly [key: string]: Line
}

export interface CliOptions {
  /** The program and its arguments. */
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /**
   * Returns the answer to a control request from the CLI. Undefined leaves the request open; an `Error` is sent as an
   * error.
   */
  readonly answer?: ((request: Line, requestId: string) => unknown) | undefined
  /** How long to wait for a line, milliseconds. */
  readonly patienceMs?: number
  /** When aborted, every wait fails. */
  readonly signal?: AbortSignal | undefined
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

const maxLineBytes = 64 * 2 ** 20

/**
 * A CLI on raw pipes, which shows the CLI's own behaviour without Iris's code. Keeps the lines that the CLI printed, in
 * order.
 */
export class Cli {
  readonly lines: Line[] = []
  readonly pid: number
  readonly exited: Promise<Exit>
  stderr = ''
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Set<() => void>()
  readonly #patienceMs: number
  readonly #signal: AbortSignal | undefined
  #requests = 0
  #exit: Exit | undefined

  constructor({ command: [program = '', ...args], cwd, env, answer, patienceMs = 40_000, signal }: CliOptions) {
    this.#patienceMs = patienceMs
    this.#signal = signal
    this.#child = spawn(program, args, { cwd, env })
    this.pid = this.#child.pid ?? 0
    const splitter = new LineSplitter({
      maxLineBytes,
      onLine: (text) => this.#read(lineOf(text), answer),
      onOversize: () => {},
    })
    this.#child.stdout.on('data', (chunk: Buffer) => splitter.push(chunk))
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString()
    })
    // When a process has ended by itself, its pipe is broken. This needs no handling, because `exited` reports the end.
    this.#child.stdin.on('error', () => {})
    this.exited = new Promise((resolve) => {
      const ended = (exit: Exit): void => {
        this.#exit = exit
        this.#wake()
        resolve(exit)
      }
      this.#child.on('close', (code, signal) => ended({ code, signal }))
      this.#child.on('error', (error) => {
        this.stderr += error.message
        ended({ code: null, signal: null })
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

  /** Sends a control request. Resolves with its answer's payload, or with the whole answer when that is an error. */
  async request(request: { readonly subtype: string; readonly [key: string]: unknown }): Promise<Line> {
    this.#requests += 1
    const requestId = `q${this.#requests}`
    this.send({ type: 'control_request', request_id: requestId, request })
    const answered = { type: 'control_response', response: { request_id: requestId } }
    const { response } = await this.line(answered, 0, `answer to ${request.subtype}`)
    return holds(response, { subtype: 'success' }) ? (response?.response ?? {}) : (response ?? {})
  }

  respond(requestId: string, response: unknown): void {
    const result =
      response instanceof Error ? { subtype: 'error', error: response.message } : { subtype: 'success', response }
    this.send({ type: 'control_response', response: { ...result, request_id: requestId } })
  }

  /** The first line at or after `since` that holds `part`. Rejects when it does not come, or the process ends without it. */
  async line(part: object, since = 0, what = JSON.stringify(part)): Promise<Line> {
    return this.until(() => this.lines.slice(since).find((line) => holds(line, part)), what)
  }

  /** Waits until `look` returns something; calls it after every line and at the exit. Rejects when late. */
  async until<T>(look: () => T | undefined, what: string): Promise<T> {
    const late = AbortSignal.any([AbortSignal.timeout(this.#patienceMs), ...(this.#signal ? [this.#signal] : [])])
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

  /** Sends a message and waits for the next result. Resolves with all lines up to that result. */
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
    const seen = this.lines.slice(-12).map(({ type, subtype }) => `${type}${subtype ? `/${subtype}` : ''}`)
    const facts = [
      `no ${what}`,
      this.#exit ? `it ended (${this.#exit.signal ?? this.#exit.code})` : 'not in time',
      ...(seen.length === 0 ? [] : [`its last lines: ${seen.join(' ')}`]),
      ...(this.stderr.trim() === '' ? [] : [`stderr: ${this.stderr.trim().split('\n').slice(-3).join(' / ')}`]),
    ]
    return facts.join('; ')
  }
}

/** Text that is no JSON becomes a line of the type `not JSON`. */
function lineOf(text: string): Line {
  try {
    return JSON.parse(text)
  } catch {
    return { type: 'not JSON', text } as unknown as Line
  }
}

/** True when every leaf of `part` is in `whole` at the same place. */
export function holds(whole: unknown, part: unknown): boolean {
  return difference(whole, part) === undefined
}

/**
 * Describes the first leaf of `part` that `whole` does not have at the same place; undefined when it has them all. A
 * leaf may be a function that judges the value; its name is used in the description.
 */
export function difference(whole: unknown, part: unknown, place = ''): string | undefined {
  if (typeof part === 'function')
    return part(whole) ? undefined : `${place || 'it'} is ${shown(whole)}, not ${part.name}`
  if (typeof part !== 'object' || part === null) {
    return Object.is(whole, part) ? undefined : `${place || 'it'} is ${shown(whole)}, not ${shown(part)}`
  }
  if (typeof whole !== 'object' || whole === null) return `${place || 'it'} is ${shown(whole)}`
  for (const [key, value] of Object.entries(part)) {
    const found = difference((whole as Record<string, unknown>)[key], value, place ? `${place}.${key}` : key)
    if (found !== undefined) return found
  }
  return undefined
}

const longest = 160

export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  const text = JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
