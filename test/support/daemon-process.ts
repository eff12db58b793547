import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DaemonFile, daemonFileIn } from '../../src/protocol/daemon.ts'
import type { Door } from './call-tool.ts'
import { eventually } from './eventually.ts'
import type { World } from './world.ts'

const program = fileURLToPath(new URL('crashing-daemon.ts', import.meta.url))
/** As `./iris` starts it. */
const flags = [
  '--max-semi-space-size=2',
  '--require',
  fileURLToPath(new URL('../../scripts/compile-cache.cjs', import.meta.url)),
]

/** A daemon in a process of its own, so that it can be killed. */
export class DaemonProcess implements Door, AsyncDisposable {
  readonly #child: ChildProcess
  readonly #file: DaemonFile
  readonly token: string
  readonly exited: Promise<NodeJS.Signals | null>
  readonly #log: () => string

  /** `dieAt`: a checkpoint of the orchestrator, for the first turn whose message holds `inMessage`. */
  static async start(world: World, dieAt = 'none', inMessage = ''): Promise<DaemonProcess> {
    const file = join(world.home, 'daemon.json')
    rmSync(file, { force: true })
    const env = { ...world.env, IRIS_HOME: world.home }
    const child = spawn(process.execPath, [...flags, program, dieAt, inMessage], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    await eventually(() => existsSync(file) || child.exitCode !== null, 'the daemon says where it is')
    if (child.exitCode !== null) throw new Error(`the daemon did not start: ${stderr}`)
    const found = daemonFileIn(readFileSync(file, 'utf8'))!
    return new DaemonProcess(child, found, world.token(), () => stderr)
  }

  private constructor(child: ChildProcess, file: DaemonFile, token: string, log: () => string) {
    this.#child = child
    this.#file = file
    this.token = token
    this.#log = log
    this.exited = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
  }

  get port(): number {
    return this.#file.port
  }

  get pid(): number {
    return this.#file.pid
  }

  get log(): string {
    return this.#log()
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGTERM')
    await this.exited
  }
}
