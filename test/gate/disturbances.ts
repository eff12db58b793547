import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

/** It ends by itself once its parent has ended, however that did. */
const loop = 'const { ppid } = process; while (process.ppid === ppid);'

const pausing = fileURLToPath(new URL('./pause-processes.ts', import.meta.url))

/** A loop for each core, until it is disposed of. */
export class BusyLoops implements Disposable {
  readonly #loops: readonly ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }),
  );

  [Symbol.dispose](): void {
    for (const child of this.#loops) child.kill('SIGKILL')
  }
}

/** Pauses what this process starts, at random, until it is disposed of. */
export class Pauses implements Disposable {
  readonly #child: ChildProcess

  constructor(seed: number) {
    this.#child = spawn(process.execPath, [pausing, String(process.pid), String(seed)], { stdio: 'ignore' })
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGTERM')
  }
}
