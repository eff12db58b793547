import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeOptions } from '../../src/app/cli/spawn-daemon.ts'
import { type DaemonFile, daemonFileIn } from '../../src/base/protocol/daemon.ts'
import type { Endpoint } from './call-tool.ts'
import { eventually } from './eventually.ts'
import { pathIn } from './small-disk.ts'
import type { World } from './world.ts'

const programOf = (build?: string): string =>
  build === undefined
    ? fileURLToPath(new URL('crashing-daemon.ts', import.meta.url))
    : join(build, 'test/support/crashing-daemon.ts')

/** A daemon in its own process, so that it can be killed. */
export class DaemonProcess implements Endpoint, AsyncDisposable {
  readonly #child: ChildProcess
  readonly #file: DaemonFile
  readonly #home: string
  readonly token: string
  readonly owner: string
  readonly exited: Promise<NodeJS.Signals | null>
  readonly #log: () => string

  /**
   * `dieAt`: a checkpoint of the orchestrator, for the first turn whose message holds `inMessage`. `by`: a command line
   * that becomes the daemon. `build`: a checkout of another Iris.
   */
  static async start(
    world: World,
    dieAt = 'none',
    inMessage = '',
    by: readonly string[] = [],
    build?: string,
  ): Promise<DaemonProcess> {
    for (const name of ['daemon.json', 'die-at']) rmSync(join(world.home, name), { force: true })
    const env = { ...world.env, IRIS_HOME: world.home }
    const [command, ...args] = [...by, process.execPath, ...nodeOptions, programOf(build), dieAt, inMessage]
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const home = by.length === 0 ? world.home : pathIn(child.pid!, world.home)
    const file = join(home, 'daemon.json')
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const begins = eventually(() => existsSync(file) || child.exitCode !== null, 'the daemon says where it is')
    await begins.catch((error: unknown) => {
      // Nothing else knows about it, so it would keep running after the test.
      child.kill('SIGKILL')
      throw new Error(`${String(error)}\n${stderr}`)
    })
    if (child.exitCode !== null) throw new Error(`the daemon did not start: ${stderr}`)
    const found = daemonFileIn(readFileSync(file, 'utf8'))!
    const credential = (name: string): string => readFileSync(join(home, name), 'utf8').trim()
    return new DaemonProcess(
      child,
      found,
      home,
      { token: credential('token'), owner: credential('owner') },
      () => stderr,
    )
  }

  private constructor(
    child: ChildProcess,
    file: DaemonFile,
    home: string,
    { token, owner }: Pick<DaemonProcess, 'token' | 'owner'>,
    log: () => string,
  ) {
    this.#child = child
    this.#file = file
    this.#home = home
    this.token = token
    this.owner = owner
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

  /** From now on it dies at this checkpoint. */
  dieAt(checkpoint: string): void {
    writeFileSync(join(this.#home, 'die-at'), checkpoint)
  }

  /** The signal that ended it. One that continues for a minute is killed, and what it logged is in the error. */
  async ended(): Promise<NodeJS.Signals | null> {
    const hasEnded = (): boolean => this.#child.exitCode !== null || this.#child.signalCode !== null
    await eventually(hasEnded, 'the daemon ends').catch(async (error: unknown) => {
      await this.kill()
      throw new Error(`${String(error)}\n${this.log}`)
    })
    return this.exited
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
