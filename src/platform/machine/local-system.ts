import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { access, constants, realpath } from 'node:fs/promises'
import type { Clock } from '../../base/lib/clock.ts'
import { BehaviorSubject } from '../../base/lib/subject.ts'
import type { Command } from './child.ts'
import { findExecutable } from './find-executable.ts'
import { type GuardPrograms, guardPrograms } from './guard-programs.ts'
import { ownStdio } from './inherited-descriptors.ts'
import { type IsolationMeans, isolationMeans } from './isolation-means.ts'
import { LocalChild } from './local-child.ts'
import { localProcesses } from './local-processes.ts'
import type { Processes, System, VersionOptions } from './machine.ts'
import { limitTagOf, tagVariable } from './process-tag.ts'
import { programVersion } from './program-version.ts'

export interface LocalSystemOptions {
  /** What the programs get: the user's own, whatever Iris has for its files. */
  readonly umask?: number
  /** Where programs of the system are looked for that are not at the usual places. */
  readonly path?: string
  /** Default: tried out. */
  readonly means?: IsolationMeans | undefined
}

/** What died by itself has its tag until then: something that it started may still live. */
const mostTags = 1000

/**
 * Runs programs on this machine, without a shell, each in a process group of its own. Where the system has `setpriv`,
 * the death of the daemon is a SIGTERM for its children; those with process ids of their own are killed by it.
 */
export class LocalSystem implements System {
  readonly processes: Processes
  /** The limit tags of what was started and has not ended with all that it started. */
  readonly tags$ = new BehaviorSubject<readonly number[]>([])
  readonly #clock: Clock
  readonly #umask: number
  readonly #guards: Promise<GuardPrograms>
  readonly #path: string
  #means: Promise<IsolationMeans> | IsolationMeans | undefined

  constructor(
    clock: Clock,
    { umask = process.umask(), path = process.env['PATH'] ?? '', means }: LocalSystemOptions = {},
  ) {
    this.#clock = clock
    this.processes = localProcesses(clock)
    this.#umask = umask
    this.#guards = guardPrograms(path)
    this.#path = path
    this.#means = means
  }

  async start({ executable, args, cwd, env, isolation }: Command): Promise<LocalChild> {
    // setpriv would answer for a program that cannot be run, so look first.
    if (executable.includes('/')) await access(executable, constants.X_OK)
    // In a sandbox the links that lead to it are missing.
    const program = isolation?.ownProcesses && executable.includes('/') ? await realpath(executable) : executable
    const { setpriv, prlimit } = await this.#guards
    const tag = env[tagVariable]
    const limitTag = prlimit === undefined ? undefined : limitTagOf(tag ?? '')
    const tagging = limitTag === undefined ? [] : [prlimit!, `--locks=${limitTag}:${limitTag}`, '--']
    // Innermost: what changes a program's rights may make it forget this (prctl(2)).
    const ending = setpriv ? [setpriv, '--pdeathsig', 'TERM', '--'] : []
    const [file, ...argv] = [...tagging, ...(isolation?.by ?? []), ...ending, program, ...args]
    const child = underUmask(this.#umask, () => spawn(file!, argv, { cwd, env, stdio: ownStdio(), detached: true }))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    const started = { tag, isolation, clock: this.#clock, onGone: () => {} }
    if (tag !== undefined && limitTag !== undefined) started.onGone = this.#remember(limitTag)
    return new LocalChild(child as ChildProcessWithoutNullStreams, started)
  }

  /** Returns what forgets it. */
  #remember(limitTag: number): () => void {
    this.tags$.next([...this.tags$.value, limitTag].slice(-mostTags))
    return () => this.tags$.next(this.tags$.value.filter((known) => known !== limitTag))
  }

  findExecutable(name: string, path: string): Promise<string | undefined> {
    return findExecutable(name, path)
  }

  programVersion(executable: string, options?: VersionOptions): Promise<string | undefined> {
    return programVersion(executable, options)
  }

  async isolationMeans(): Promise<IsolationMeans> {
    this.#means ??= isolationMeans(this.#path)
    return this.#means
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
