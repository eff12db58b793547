import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { signal } from '../../src/transport/descendants.ts'
import { eventually } from './eventually.ts'

/** What a person's first use of Claude Code would have asked: looks, the API key, whether the project is trusted. */
export function asUsedBefore(file: string, project: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const answers = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['dummy'], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, allowedTools: [] } },
  }
  writeFileSync(file, JSON.stringify(answers))
}

const cursorMove = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g')

/** A person at a terminal: a shell command on a pty of its own, made by the `script` of util-linux. */
export class Terminal implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #exited: Promise<unknown>
  #output = ''

  constructor(command: string, at: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }) {
    this.#child = spawn('script', ['-qfec', `stty rows 40 cols 120; ${command}`, '/dev/null'], {
      cwd: at.cwd,
      env: { ...at.env, TERM: 'xterm-256color' },
      detached: true,
    })
    this.#child.stdin.on('error', () => {})
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString()
    })
    this.#exited = new Promise((resolve) => this.#child.once('close', resolve))
  }

  /** Everything ever printed, without the movements of the cursor; blanks as one. */
  get printed(): string {
    return this.#output.replaceAll(cursorMove, ' ').replace(/\s+/g, ' ')
  }

  async shows(text: string, since = 0): Promise<void> {
    await eventually(() => this.printed.slice(since).includes(text), `the terminal shows "${text}"`, 45_000).catch(
      (late: unknown) => {
        throw new Error(`the terminal shows no "${text}" but: ${this.printed.slice(since).slice(-1000)}`, {
          cause: late,
        })
      },
    )
  }

  /** Types a line as a person does, who presses Enter when it stands there. */
  async type(line: string): Promise<void> {
    const before = this.printed.length
    this.#child.stdin.write(line)
    await this.shows(line.split(' ').at(-1)!, before)
    this.#child.stdin.write('\r')
  }

  /** Keys as a terminal sends them; nothing is waited for. */
  press(keys: string): void {
    this.#child.stdin.write(keys)
  }

  /** Resolves with the exit code of the command. */
  exited(): Promise<unknown> {
    return this.#exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) signal(-this.#child.pid!, 'SIGKILL')
    await this.#exited
  }
}
