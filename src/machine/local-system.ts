import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import type { Clock } from '../lib/clock.ts'
import type { Child, Command, Transport } from './child.ts'
import { findExecutable } from './find-executable.ts'
import { LocalChild } from './local-child.ts'
import { limitTagOf, markerVariable } from './process-tag.ts'

/**
 * Runs programs on this machine, without a shell, each in a process group of its own. Where the system has `setpriv`,
 * the death of the daemon is a SIGTERM for its children; those with process ids of their own are killed by it.
 */
export class LocalTransport implements Transport {
  readonly #clock: Clock
  readonly #umask: number
  readonly #setpriv: Promise<string | undefined>
  readonly #prlimit: Promise<string | undefined>

  /** `umask` is what the programs get: the user's own, whatever Iris has for its files. */
  constructor(clock: Clock, umask = process.umask()) {
    this.#clock = clock
    this.#umask = umask
    const tool = async (name: string): Promise<string | undefined> =>
      process.platform === 'linux' ? findExecutable(name, process.env['PATH'] ?? '') : undefined
    this.#setpriv = tool('setpriv')
    this.#prlimit = tool('prlimit')
  }

  async start({ executable, args, cwd, env, isolation }: Command): Promise<Child> {
    // setpriv would answer for a program that cannot be run, so look first.
    if (executable.includes('/')) await access(executable, constants.X_OK)
    const [setpriv, prlimit] = await Promise.all([this.#setpriv, this.#prlimit])
    const tag = limitTagOf(env[markerVariable] ?? '')
    const tagging = prlimit && tag !== undefined ? [prlimit, `--locks=${tag}:${tag}`, '--'] : []
    // Innermost: what changes a program's rights may make it forget this (prctl(2)).
    const ending = setpriv ? [setpriv, '--pdeathsig', 'TERM', '--'] : []
    const [file, ...argv] = [...tagging, ...(isolation?.by ?? []), ...ending, executable, ...args]
    const child = underUmask(this.#umask, () => spawn(file!, argv, { cwd, env, stdio: 'pipe', detached: true }))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    return new LocalChild(child, { marker: env[markerVariable], isolation, clock: this.#clock })
  }
}

/** A child has the umask of its parent at its start, and there is no option for it. */
function underUmask<T>(umask: number, start: () => T): T {
  const own = process.umask(umask)
  try {
    return start()
  } finally {
    process.umask(own)
  }
}
