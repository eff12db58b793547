import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./pause-processes.ts', import.meta.url))

/** Pauses what this process starts, at random, until it is disposed of. */
export class Pauses implements Disposable {
  readonly #child: ChildProcess

  constructor(seed: number) {
    this.#child = spawn(process.execPath, [program, String(process.pid), String(seed)], { stdio: 'ignore' })
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGTERM')
  }
}
