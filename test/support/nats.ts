import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchDirectory } from './scratch.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))

/** A real nats-server with JetStream on loopback, with files of its own, which can be killed and started again. */
export class NatsServer implements AsyncDisposable {
  readonly port: number
  readonly #scratch = scratchDirectory()
  readonly #more: string
  readonly #room: string
  #child: ChildProcess | undefined
  #guard: ChildProcess | undefined
  #said = ''

  /** `more`: further lines of its configuration, such as `authorization`. `room`: for what streams reserve. */
  static async start(more = '', room = '4GB'): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), more, room)
    await server.start()
    return server
  }

  private constructor(port: number, more: string, room: string) {
    this.port = port
    this.#more = more
    this.#room = room
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`
  }

  /** The output of the running server. */
  get said(): string {
    return this.#said
  }

  /** Of the server that runs. */
  get pid(): number {
    return this.#child!.pid!
  }

  async start(): Promise<void> {
    const [root, config] = [this.#scratch.path, join(this.#scratch.path, 'nats.conf')]
    const jetStream = `jetstream { store_dir: "${root}/js", max_file_store: ${this.#room}, max_memory_store: 64MB }`
    writeFileSync(config, `listen: "127.0.0.1:${this.port}"\n${jetStream}\n${this.#more}\n`)
    const program = execFileSync(join(checkout, 'scripts/nats-server'), { encoding: 'utf8' }).trim()
    const child = spawn(program, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#child = child
    // A killed run of tests closes this pipe, and its server must not stay behind.
    const guard = ['-c', 'cat >/dev/null; kill -9 "$1"', 'guard', String(child.pid)]
    this.#guard = spawn('/bin/sh', guard, { stdio: ['pipe', 'ignore', 'ignore'] })
    this.#said = ''
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        this.#said += chunk.toString()
        if (this.#said.includes('Server is ready')) resolve()
      })
      child.once('exit', () => reject(new Error(`nats-server did not start: ${this.#said}`)))
    })
  }

  /** Where the server that is down keeps the letters of a host; who has read how far is beside it. */
  lettersOf(host: string): string {
    return join(this.#scratch.path, 'js/jetstream/$G/streams', `IRIS_${host}`, 'msgs')
  }

  /** The server that is down loses all that it kept. */
  loseFiles(): void {
    rmSync(join(this.#scratch.path, 'js'), { recursive: true, force: true })
  }

  /** Copies all that the server, which is down, keeps. Returns what puts the copy in place of what it keeps then. */
  keepFiles(): () => void {
    const [files, copy] = [join(this.#scratch.path, 'js'), join(this.#scratch.path, 'copy')]
    rmSync(copy, { recursive: true, force: true })
    cpSync(files, copy, { recursive: true })
    return () => {
      this.loseFiles()
      cpSync(copy, files, { recursive: true })
    }
  }

  async kill(): Promise<void> {
    // The guard first: once the server has gone, its number may be another program's.
    await gone(this.#guard)
    this.#guard?.stdin?.destroy()
    await gone(this.#child)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    this.#scratch[Symbol.dispose]()
  }
}

async function gone(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
