import type { Clock } from '../../base/lib/clock.ts'
import type { Child, Command, Exit, StopManner } from '../machine/child.ts'
import { tagVariable } from '../machine/process-tag.ts'
import type { HostChannel } from './host.ts'
import { hostFailure } from './host-failure.ts'
import type { RemoteHost } from './remote-host.ts'
import { shellQuoted } from './shell-words.ts'

const startMs = 20_000
const graceMs = { idle: 5000, busy: 5000, now: 0 } as const

/** Starts a program there on a connection of its own, with which it ends. Its environment goes over standard input. */
export async function startDirectly(host: RemoteHost, command: Command, clock: Clock): Promise<Child> {
  const { executable, args, cwd, env } = command
  const channel = await host.shell.open()
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${shellQuoted(value)}`)
  const words = [executable, ...args].map(shellQuoted).join(' ')
  const script = [...exports, `cd ${shellQuoted(cwd)} || exit 127`, `printf '%s\\n' "iris-pid $$"`, `exec ${words}`]
  const child = new DirectChild(channel, host, { tag: env[tagVariable], clock })
  await channel.write(`${script.join('; ')}\n`)
  await child.begun()
  return child
}

interface Around {
  readonly tag: string | undefined
  readonly clock: Clock
}

class DirectChild implements Child {
  readonly status$: Child['status$']
  readonly errors$: Child['errors$']
  readonly exited: Promise<Exit>
  readonly #channel: HostChannel
  readonly #host: RemoteHost
  readonly #around: Around
  readonly #begun = Promise.withResolvers<void>()
  readonly #isRead = Promise.withResolvers<void>()
  #onChunk: ((chunk: Buffer) => Promise<void> | undefined) | undefined
  #head: Buffer | undefined = Buffer.alloc(0)
  #pid = 0
  #hasExited = false

  constructor(channel: HostChannel, host: RemoteHost, around: Around) {
    this.#channel = channel
    this.#host = host
    this.#around = around
    this.status$ = channel.status$
    this.errors$ = channel.errors$
    this.exited = channel.exited.then((exit) => {
      this.#hasExited = true
      this.#begun.reject(new Error(channel.stderr().trim() || 'it did not begin'))
      return exit
    })
    channel.read((chunk) => this.#take(chunk))
  }

  get pid(): number {
    return this.#pid
  }

  async begun(): Promise<void> {
    const cancelTimer = this.#around.clock.after(startMs, () => {
      this.#begun.reject(hostFailure('no_answer', `it has not answered within ${startMs} ms`, this.#host.name))
    })
    try {
      await this.#begun.promise
    } catch (error) {
      void this.#channel.stop('now')
      throw error
    } finally {
      cancelTimer()
    }
  }

  read(onChunk: (chunk: Buffer) => Promise<void> | undefined): void {
    this.#onChunk = onChunk
    this.#isRead.resolve()
  }

  stderr(): string {
    return this.#channel.stderr()
  }

  write(text: string): Promise<void> {
    return this.#channel.write(text)
  }

  async stop(manner: StopManner): Promise<Exit> {
    if (!this.#hasExited) await this.#ask(manner)
    const exit = await this.#channel.stop(manner === 'now' ? 'now' : 'idle')
    return exit
  }

  async #ask(manner: StopManner): Promise<void> {
    if (manner !== 'idle') {
      const signal = manner === 'busy' ? 'TERM' : 'KILL'
      await this.#host.run(`kill -${signal} ${this.#pid}`).catch(() => {})
    }
    if (manner === 'now') return
    this.#around.clock.after(graceMs[manner], () => {
      if (!this.#hasExited) void this.#ask(manner === 'idle' ? 'busy' : 'now')
    })
  }

  #take(chunk: Buffer): Promise<void> | undefined {
    if (this.#head === undefined) return this.#give(chunk)
    this.#head = Buffer.concat([this.#head, chunk])
    const end = this.#head.indexOf('\n')
    if (end === -1) return undefined
    const pid = /^iris-pid (\d+)$/.exec(this.#head.toString('latin1', 0, end))?.[1]
    const rest = this.#head.subarray(end + 1)
    this.#head = undefined
    this.#pid = Number(pid ?? 0)
    this.#begun.resolve()
    return rest.length > 0 ? this.#give(rest) : undefined
  }

  #give(chunk: Buffer): Promise<void> | undefined {
    return this.#onChunk ? this.#onChunk(chunk) : this.#isRead.promise.then(() => this.#onChunk?.(chunk))
  }
}
