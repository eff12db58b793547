import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { CommandContext, type SpawnDaemon } from '../../src/app/cli/context.ts'

interface ContextOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** The content of stdin. */
  readonly stdin?: string
  readonly spawnDaemon?: SpawnDaemon
  /** The columns of a terminal on all three streams. Default: there is none. */
  readonly columns?: number
}

export interface Printed {
  readonly stdout: string
  readonly stderr: string
  /** Both, as they came. */
  readonly inOrder: string
}

/** A command's context, which keeps what the command prints. */
export class TestContext extends CommandContext {
  readonly #outputs: Printed

  constructor({ env, cwd = '/', stdin = '', spawnDaemon, columns }: ContextOptions) {
    const signals = new EventEmitter()
    const outputs = { stdout: '', stderr: '', inOrder: '' }
    const terminal = columns === undefined ? {} : { isTTY: true, columns, rows: 24 }
    const kept = (name: 'stdout' | 'stderr'): Writable =>
      new Writable({
        decodeStrings: false,
        write: (text: Buffer | string, _encoding, done) => {
          outputs[name] += text.toString()
          outputs.inOrder += text.toString()
          done()
        },
      })
    const input = Object.assign(Readable.from(Buffer.from(stdin), { objectMode: false }), terminal)
    super({
      env,
      cwd,
      stdin: input,
      parentPid: process.ppid,
      stdout: Object.assign(kept('stdout'), terminal),
      stderr: Object.assign(kept('stderr'), terminal),
      ...(spawnDaemon && { spawnDaemon }),
      onSignal: (signal, listener) => {
        signals.on(signal, listener)
        return () => void signals.off(signal, listener)
      },
      raise: (signal) => void signals.emit(signal, signal),
    })
    this.#outputs = outputs
  }

  get printed(): Printed {
    return { ...this.#outputs }
  }
}
