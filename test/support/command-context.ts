import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { CommandContext } from '../../src/app/cli/context.ts'

interface ContextOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** What stdin holds; undefined: it stays open. */
  readonly stdin?: string | undefined
}

/** A command's context without a terminal, which keeps what the command prints. */
export class TestContext extends CommandContext {
  readonly #signals: EventEmitter
  readonly #outputs: { readonly stdout: string; readonly stderr: string }

  constructor({ env, cwd = '/', stdin = '' }: ContextOptions) {
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
      onSignal: (signal, listener) => {
        signals.on(signal, listener)
        return () => void signals.off(signal, listener)
      },
      raise: (signal) => void signals.emit(signal, signal),
    })
    this.#signals = signals
    this.#outputs = outputs
  }

  get printed(): { readonly stdout: string; readonly stderr: string } {
    return { ...this.#outputs }
  }

  /** The signals that the command listens to. */
  get signals(): readonly (string | symbol)[] {
    return this.#signals.eventNames()
  }
}
