import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface PersonOptions {
  readonly procStart?: string
  readonly env?: Readonly<Record<string, string>>
  /** The id of the background session of Claude Code that it is; absent: it is in a terminal. */
  readonly job?: string
}

/** A person's claude as Iris sees it: a running process, and its file in the CLI's registry. */
export class Person implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #directory: string
  readonly #job: string | undefined

  /** `procStart`: when the process began, if the file is to say something else than the truth. */
  constructor(claudeDirectory: string, sessionId: string, { procStart, env = {}, job }: PersonOptions = {}) {
    this.#job = job
    this.#directory = join(claudeDirectory, 'sessions')
    this.#child = spawn('sleep', ['1000'], { stdio: 'ignore', env: { PATH: process.env['PATH'], ...env } })
    mkdirSync(this.#directory, { recursive: true })
    this.opens(sessionId, procStart)
  }

  get pid(): number {
    return this.#child.pid!
  }

  opens(sessionId: string, procStart = startOf(this.pid)): void {
    const { pid } = this
    const entry = { pid, sessionId, procStart, startedAt: Date.now(), version: '9.9.9' }
    const kind = this.#job === undefined ? { kind: 'interactive' } : { kind: 'bg', jobId: this.#job }
    const file = join(this.#directory, `${pid}.unfinished`)
    writeFileSync(file, JSON.stringify({ ...entry, ...kind }))
    renameSync(file, this.#file)
  }

  /** Its file goes first, as that of an ending CLI. */
  leaves(): Promise<void> {
    rmSync(this.#file, { force: true })
    return this.dies()
  }

  /** Its file stays. */
  async dies(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await exited
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.leaves()
  }

  get #file(): string {
    return join(this.#directory, `${this.pid}.json`)
  }
}

function startOf(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ')[19]!
}
