import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { access, constants, realpath } from 'node:fs/promises'
import type { Clock } from '../../base/lib/clock.ts'
import { TurnQueue } from '../../base/lib/in-turns.ts'
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
  /** The umask for started programs: the user's own, not the one that Iris uses for its files. */
  readonly umask?: number
  /** Where to look for system programs after the usual places. */
  readonly path?: string
  /** By default, a trial determines this. */
  readonly means?: IsolationMeans | (() => Promise<IsolationMeans>) | undefined
}

/** Shared by all instances, because all of them start programs on this machine. */
const starts = new TurnQueue(1)

/**
 * How many tags to remember. The tag of a program that died on its own is kept, because its descendants may still be
 * running.
 */
const maxTags = 1000

/**
 * Runs programs on this machine, without a shell, each in its own process group. If the system has `setpriv`, they get
 * a SIGTERM when the daemon dies. Programs with their own process id namespace are killed instead.
 */
export class LocalSystem implements System {
  readonly processes: Processes
  /** The limit tags of the programs that are still running, or whose descendants may be. */
  readonly tags$ = new BehaviorSubject<readonly number[]>([])
  readonly #clock: Clock
  readonly #umask: number
  readonly #guards: Promise<GuardPrograms>
  readonly #tryMeans: () => Promise<IsolationMeans>
  #means: Promise<IsolationMeans> | undefined

  constructor(
    clock: Clock,
    { umask = process.umask(), path = process.env['PATH'] ?? '', means }: LocalSystemOptions = {},
  ) {
    this.#clock = clock
    this.processes = localProcesses(clock)
    this.#umask = umask
    this.#guards = guardPrograms(path)
    this.#tryMeans = typeof means === 'function' ? means : async () => means ?? isolationMeans(path)
  }

  async start({ executable, args, cwd, env, isolation }: Command): Promise<LocalChild> {
    // Checked first, because otherwise setpriv would start successfully and hide the error.
    if (executable.includes('/')) await access(executable, constants.X_OK)
    // Uses the real path, because links to the program may be missing in a sandbox.
    const program = isolation?.ownProcesses && executable.includes('/') ? await realpath(executable) : executable
    const { setpriv, prlimit } = await this.#guards
    const tag = env[tagVariable]
    const limitTag = prlimit === undefined ? undefined : limitTagOf(tag ?? '')
    const tagging = limitTag === undefined ? [] : [prlimit!, `--locks=${limitTag}:${limitTag}`, '--']
    // setpriv comes innermost, because a change to the process's rights may clear this setting (prctl(2)).
    const ending = setpriv ? [setpriv, '--pdeathsig', 'TERM', '--'] : []
    const [file, ...argv] = [...tagging, ...(isolation?.by ?? []), ...ending, program, ...args]
    // The operating system stops the whole daemon while it copies the daemon for the program.
    await starts.enter()
    const child = underUmask(this.#umask, () => spawn(file!, argv, { cwd, env, stdio: ownStdio(), detached: true }))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    const started = { tag, isolation, clock: this.#clock, onGone: () => {} }
    if (tag !== undefined && limitTag !== undefined) started.onGone = this.#remember(limitTag)
    return new LocalChild(child as ChildProcessWithoutNullStreams, started)
  }

  /** Returns a function that forgets the tag. */
  #remember(limitTag: number): () => void {
    this.tags$.next([...this.tags$.value, limitTag].slice(-maxTags))
    return () => this.tags$.next(this.tags$.value.filter((known) => known !== limitTag))
  }

  findExecutable(name: string, path: string): Promise<string | undefined> {
    return findExecutable(name, path)
  }

  programVersion(executable: string, options?: VersionOptions): Promise<string | undefined> {
    return programVersion(executable, options)
  }

  async isolationMeans(): Promise<IsolationMeans> {
    const tried = (this.#means ??= this.#tryMeans())
    const found = await tried
    const isUndecided = Object.values(found).some((means) => 'isUndecided' in means)
    if (isUndecided && this.#means === tried) this.#means = undefined
    return found
  }
}

/** A child inherits the umask of its parent, and `spawn` has no option for it. */
function underUmask<T>(umask: number, start: () => T): T {
  const own = process.umask(umask)
  try {
    return start()
  } finally {
    process.umask(own)
  }
}
