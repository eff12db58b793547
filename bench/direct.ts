import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { commandLine } from '../src/claude/command-line.ts'
import { irisInstructions } from '../src/claude/envelope.ts'
import { LineSplitter } from '../src/lib/line-splitter.ts'

/** The same CLI with the same words, driven over its pipe by the least code there can be: what Iris is measured against. */
export class DirectClaude {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly sessionId = randomUUID()
  #onInitialized: () => void = () => {}
  #onResult: (text: string) => void = () => {}

  constructor(executable: string, cwd: string, env: Readonly<Record<string, string>>) {
    const args = commandLine({
      sessionId: this.sessionId,
      resume: false,
      model: undefined,
      allowedTools: [],
      disallowedTools: [],
      appendSystemPrompt: irisInstructions,
      projectMcpServers: false,
    })
    this.#child = spawn(executable, args, {
      cwd,
      env: { ...env, CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const lines = new LineSplitter({ maxLineBytes: 2 ** 24, onLine: (line) => this.#take(line), onOversize: () => {} })
    this.#child.stdout.on('data', (chunk: Buffer) => lines.push(chunk))
  }

  initialize(): Promise<void> {
    return new Promise((resolve) => {
      this.#onInitialized = resolve
      this.#send({ type: 'control_request', request_id: 'init', request: { subtype: 'initialize' } })
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
    else if (line.type === 'control_response') this.#onInitialized()
  }
}
