import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { CommandContext, type SpawnDaemon } from '../../src/app/cli/context.ts'

interface ContextOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** What stdin holds. */
  readonly stdin?: string
  readonly spawnDaemon?: SpawnDaemon
}

/** A command's context without a terminal, which keeps what the command prints. */
export class TestContext extends CommandContext {
  readonly #outputs: { readonly stdout: string; readonly stderr: string }

  constructor({ env, cwd = '/', stdin = '', spawnDaemon }: ContextOptions) {
    const signals = new EventEmitter()
    const outputs = { stdout: '', stderr: '' }
    const kept = (name: keyof typeof outputs): Writable =>
      new Writable({
        decodeStrings: false,
        write: (text: Buffer | string, _encoding, done) => {
          outputs[name] += text.toString()
          done()
        },
      })
    super({
      ...{ env, cwd, stdin: Readable.from(Buffer.from(stdin), { objectMode: false }) },
      ...{ stdout: kept('stdout'), stderr: kept('stderr'), parentPid: process.ppid },
      ...(spawnDaemon && { spawnDaemon }),
      onSignal: (signal, listener) => {
        signals.on(signal, listener)
        return () => void signals.off(signal, listener)
      },
      raise: (signal) => void signals.emit(signal, signal),
    })
    this.#outputs = outputs
  }

  get printed(): { readonly stdout: string; readonly stderr: string } {
    return { ...this.#outputs }
  }
}
