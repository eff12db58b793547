import { deepStrictEqual } from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import headless from '@xterm/headless'
import { signal } from '../../src/platform/machine/local-processes.ts'
import { eventually, WaitRanOut } from './eventually.ts'

/** Answers to the questions at the first use of Claude Code: theme, API key, and whether the projects are trusted. */
export function asUsedBefore(file: string, ...projects: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true })
  const answers = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['dummy'], rejected: [] },
    projects: Object.fromEntries(projects.map((each) => [each, { hasTrustDialogAccepted: true, allowedTools: [] }])),
  }
  writeFileSync(file, JSON.stringify(answers))
}

const cursorMove = new RegExp(`${String.fromCharCode(27)}(\\[[0-9;?]*[A-Za-z]|[78DEM])`, 'g')

/** Words that the edge of a terminal of this width cuts in two although a row has room for them. */
export async function cutWords(printed: string, columns: number): Promise<readonly string[]> {
  const screen = new headless.Terminal({ cols: columns, rows: 40, allowProposedApi: true })
  await new Promise<void>((resolve) => screen.write(printed.replaceAll(/\r?\n/g, '\r\n'), resolve))
  return cutWordsOn(screen)
}

function cutWordsOn({ buffer: { active }, cols }: headless.Terminal): readonly string[] {
  return Array.from({ length: active.length }, (_, row) => active.getLine(row)!).flatMap((line, row, lines) => {
    const [end] = /\S+$/.exec(lines[row - 1]?.translateToString() ?? '') ?? []
    const [begin] = /^\S+/.exec(line.translateToString()) ?? []
    if (!line.isWrapped || end === undefined || begin === undefined) return []
    return (end + begin).length <= cols ? [`${end}|${begin}`] : []
  })
}

interface TerminalOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Default 120 columns, 40 rows. */
  readonly columns?: number
  readonly rows?: number
}

/** A person at a terminal: a shell command on its own pty, made by the `script` of util-linux. */
export class Terminal implements AsyncDisposable {
  readonly #screen: headless.Terminal
  readonly #child: ChildProcessWithoutNullStreams
  readonly #exited: Promise<unknown>
  #output = ''

  constructor(command: string, { cwd, env, columns = 120, rows = 40 }: TerminalOptions) {
    this.#screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true })
    this.#child = spawn('script', ['-qfec', `stty rows ${rows} cols ${columns}; ${command}`, '/dev/null'], {
      cwd,
      env: { ...env, TERM: 'xterm-256color' },
      detached: true,
    })
    this.#child.stdin.on('error', () => {})
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString()
      this.#screen.write(chunk)
    })
    this.#exited = new Promise((resolve) => this.#child.once('close', resolve))
  }

  /** Everything ever printed, as it came. */
  get raw(): string {
    return this.#output
  }

  /** The current screen: its rows, without trailing blanks. */
  screen(): readonly string[] {
    const { active } = this.#screen.buffer
    return Array.from(
      { length: this.#screen.rows },
      (_, row) =>
        active
          .getLine(active.viewportY + row)
          // Rows keep what was beyond the edge of a window that became narrower.
          ?.translateToString(false, 0, this.#screen.cols)
          .trimEnd() ?? '',
    )
  }

  /** Words that the edge of the terminal cuts in two although a row has room for them, on all rows so far. */
  cutWords(): readonly string[] {
    return cutWordsOn(this.#screen)
  }

  /** Waits until the screen as text holds this; a pattern may span rows. */
  async displays(text: string | RegExp): Promise<void> {
    const fits = (screen: string): boolean => (typeof text === 'string' ? screen.includes(text) : text.test(screen))
    const look = (): boolean => fits(this.screen().join('\n'))
    await eventually(look, `the screen shows ${text}`).catch((late: unknown) => {
      throw new WaitRanOut(`the screen shows no ${text} but:\n${this.screen().join('\n')}`, { cause: late })
    })
  }

  /** Waits for a screen of these rows, empty ones left out; `tidied` takes away what differs from run to run. */
  async reads(
    rows: readonly string[],
    tidied = (screen: readonly string[]): readonly string[] => screen,
  ): Promise<void> {
    const read = (): readonly string[] => tidied(this.screen()).filter((row) => row !== '')
    await eventually(() => isDeepStrictEqual(read(), rows), 'the screen').catch(() => deepStrictEqual(read(), rows))
  }

  /** As when a person drags the corner of the window. */
  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows)
    const [inner] = readFileSync(`/proc/${this.#child.pid}/task/${this.#child.pid}/children`, 'utf8').split(' ')
    const size = ['rows', String(rows), 'cols', String(columns)]
    const { status } = spawnSync('stty', ['-F', readlinkSync(`/proc/${inner}/fd/0`), ...size])
    if (status !== 0) throw new Error('the pty could not be resized')
  }

  /** Everything ever printed, without the movements of the cursor; blanks as one. */
  get printed(): string {
    return this.#output.replaceAll(cursorMove, ' ').replace(/\s+/g, ' ')
  }

  async shows(text: string, since = 0): Promise<void> {
    await eventually(() => this.printed.slice(since).includes(text), `the terminal shows "${text}"`).catch(
      (late: unknown) => {
        throw new WaitRanOut(`the terminal shows no "${text}" but: ${this.printed.slice(since).slice(-1000)}`, {
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
