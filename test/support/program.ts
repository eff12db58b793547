import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import type { Daemon } from '../../src/app/daemon/daemon.ts'
import { type DaemonFile, daemonFileIn } from '../../src/base/protocol/daemon.ts'
import { eventually } from './eventually.ts'
import { createWorld, type World, type WorldOptions } from './world.ts'

export const mainFile = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** `iris` for a shell. */
export const irisCommand = [process.execPath, ...nodeArguments()].join(' ')

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** `iris` as its own process; the test that started it ends it. */
export class Program {
  readonly ended: Promise<Ending>
  readonly child: ChildProcessWithoutNullStreams
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> }) {
    this.child = spawn(process.execPath, nodeArguments(...args), { cwd, env })
    this.child.stdout.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()))
    this.child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()))
    this.child.stdin.on('error', () => {})
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr })
      })
    })
  }
}

/** The program with a world around it; at the end nothing of it is left. */
export class Installation implements AsyncDisposable {
  readonly world: World
  readonly env: Readonly<Record<string, string>>
  readonly #programs: Program[] = []
  #served: Daemon | undefined

  static async create(options: WorldOptions = {}): Promise<Installation> {
    return new Installation(await createWorld(options))
  }

  private constructor(world: World) {
    this.world = world
    this.env = { ...world.env, IRIS_HOME: world.home }
  }

  start(args: readonly string[], { cwd = this.world.root, env = {} }: { cwd?: string; env?: object } = {}): Program {
    const program = new Program(args, { cwd, env: { ...this.env, ...env } })
    this.#programs.push(program)
    return program
  }

  /** Runs a command to its end. */
  run(args: readonly string[], options: { cwd?: string; env?: object } = {}): Promise<Ending> {
    const program = this.start(args, options)
    program.child.stdin.end()
    return program.ended
  }

  /** A daemon in the test's own process, for a tenth of the work: where no test kills it, stops it by a command or reads its output. */
  async serve(): Promise<void> {
    // Most tests of programs need nothing of a daemon in their own process.
    const { startDaemon } = await import('../../src/app/daemon/daemon.ts')
    this.#served = await startDaemon({ home: this.world.home, env: this.world.env, daemonPid: 0 })
  }

  async #endServing(): Promise<void> {
    await this.#served?.stop(0)
    this.#served = undefined
  }

  /** `iris start`, once it serves; in the place of a daemon in the test's own process. */
  async startDaemon(options: { env?: object } = {}): Promise<Program> {
    await this.#endServing()
    const program = this.start(['start'], options)
    await eventually(() => this.daemon()?.pid === program.child.pid, 'a daemon to serve')
    return program
  }

  /** The daemon that daemon.json names, living or not. */
  daemon(): DaemonFile | undefined {
    const file = join(this.world.home, 'daemon.json')
    return existsSync(file) ? daemonFileIn(readFileSync(file, 'utf8')) : undefined
  }

  /** The contents of the store; nothing before it exists. */
  rows(sql: string): Record<string, unknown>[] {
    const path = join(this.world.home, 'data/team-sessions.db')
    if (!existsSync(path)) return []
    const database = new DatabaseSync(path, { readOnly: true })
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#programs) child.kill('SIGKILL')
    await Promise.all(this.#programs.map(({ ended }) => ended))
    await this.#endServing()
    await endAll(this.world.root)
    await this.world[Symbol.asyncDispose]()
  }
}

/** Living processes, zombies left out, in whose environment the text occurs: here, a path of the test. Linux only. */
export function processesOf(text: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    return pid > 0 && pid !== process.pid && mentions(pid, text) ? [pid] : []
  })
}

/** Kills them all, and those they leave behind. */
export async function endAll(text: string): Promise<void> {
  await eventually(() => {
    const pids = processesOf(text)
    for (const pid of pids) kill(pid)
    return pids.length === 0
  }, 'all processes to end')
}

function mentions(pid: number, text: string): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text)) return false
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone in between.
  }
}
