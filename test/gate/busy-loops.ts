import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** It ends by itself once its parent has ended, however that did. */
const loop = 'const { ppid } = process; while (process.ppid === ppid);'

/** A loop for each core, until it is disposed of. */
export class BusyLoops implements Disposable {
  readonly #loops: readonly ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }),
  );

  [Symbol.dispose](): void {
    for (const child of this.#loops) child.kill('SIGKILL')
  }
}
