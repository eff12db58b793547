import { EMPTY, of } from 'rxjs'
import { deferred } from '../../src/base/lib/deferred.ts'
import type { Exit } from '../../src/base/lib/program-end.ts'
import type { HostChannel, HostShell } from '../../src/platform/hosts/host.ts'

/** A host that says what a test wants, and never what was asked. */
export interface Scripted {
  /** Of this connection, as it stands in what Iris has written first. */
  nonce(): string
  readonly written: readonly string[]
  say(text: string | Buffer): void
  status(text: string): void
  readonly isDropped: boolean
  end(exit?: Exit): void
}

/** `onOpen` plays the host on each connection; throwing there is a host that cannot be reached. */
export function scriptedShell(onOpen: (host: Scripted, count: number) => void): HostShell {
  let count = 0
  return {
    name: 'a hostile host',
    async open() {
      const connection = new ScriptedConnection()
      onOpen(connection, count++)
      return connection.channel
    },
  }
}

class ScriptedConnection implements Scripted {
  readonly written: string[] = []
  isDropped = false
  readonly #exited = deferred<Exit>()
  #onOutput: (chunk: Buffer) => Promise<void> | undefined = () => undefined
  #onErrors: (chunk: Buffer) => void = () => {}
  readonly channel: HostChannel = {
    pid: 1,
    status$: of('running'),
    errors$: EMPTY,
    exited: this.#exited.promise,
    stderr: () => '',
    read: (onChunk) => {
      this.#onOutput = onChunk
    },
    readErrors: (onChunk) => {
      this.#onErrors = onChunk
    },
    write: async (text) => {
      this.written.push(text)
    },
    stop: async () => {
      this.isDropped = true
      this.end()
      return this.#exited.promise
    },
  }

  nonce(): string {
    return /iris (\S+) supervisor-/.exec(this.written[0] ?? '')![1]!
  }

  say(text: string | Buffer): void {
    void this.#onOutput(Buffer.from(text as string))
  }

  status(text: string): void {
    this.#onErrors(Buffer.from(text))
  }

  end(exit: Exit = { code: 255, signal: null }): void {
    this.#exited.resolve(exit)
  }
}
