import { randomBytes } from 'node:crypto'
import { accessSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../src/base/lib/clock.ts'
import type { HostShell } from '../../src/platform/hosts/host.ts'
import { SupervisedPrograms } from '../../src/platform/hosts/supervised-programs.ts'
import { programShell } from './program-shell.ts'
import { scratchDirectory } from './scratch.ts'

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** The programs that the supervisor needs on every machine. */
const tools = 'cat chmod dd env find grep id mkdir mkfifo mv ps rm setsid sh sleep tail tr uname wc'.split(' ')

interface HostOptions {
  /** busybox brings its own programs and no others; else the host has those of this machine. */
  readonly sh?: 'dash' | 'bash' | 'busybox'
  /** It has busybox's programs, and besides nothing but these. */
  readonly only?: readonly string[]
  /** The busybox programs that it lacks. */
  readonly without?: readonly string[]
  readonly clock?: Clock
  /** In place of the link, for faults of it. */
  readonly link?: (shell: HostShell) => HostShell
  readonly mostUnreadBytes?: number
  /** A command line that shuts in whatever follows it. */
  readonly within?: (home: string) => readonly string[]
  /** For the host's login. */
  readonly env?: Readonly<Record<string, string>>
}

export interface TestHost {
  /** Its home; all of Iris's files there are below `.cache/iris`. */
  readonly home: string
  readonly shell: HostShell
  /** As one Iris has it; each call makes another one, that knows of no other. */
  programs(): SupervisedPrograms
  /** Ends what still runs there. */
  [Symbol.dispose](): void
}

/** A directory of this machine in place of a host, which is entered by its own shell. */
export function testHost(given: HostOptions = {}): TestHost {
  const { sh = 'dash', only, without = [], link = (shell) => shell, within, env, ...options } = given
  const scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  const bin = join(scratch.path, 'bin')
  mkdirSync(home)
  mkdirSync(bin)
  const missing = (only ?? []).map((name) => [name, find(name)] as const)
  const busybox =
    only || sh === 'busybox'
      ? tools.filter((name) => !without.includes(name)).map((name) => [name, find('busybox')] as const)
      : []
  for (const [name, program] of new Map([...busybox, ...missing, ['sh', find(sh)] as const])) {
    symlinkSync(program, join(bin, name))
  }
  const path = only || sh === 'busybox' ? bin : `${bin}:${systemPath}`
  const argv = sh === 'bash' ? [find('bash'), '--posix'] : [join(bin, 'sh')]
  const shell = link(programShell([...(within?.(home) ?? []), ...argv], { PATH: path, HOME: home, ...env }))
  return {
    home,
    shell,
    programs: () =>
      new SupervisedPrograms({ clock: systemClock, ...options, shell, newId: () => randomBytes(8).toString('hex') }),
    [Symbol.dispose]() {
      for (const pid of pidsIn(join(home, '.cache/iris/runs'))) end(pid)
      scratch[Symbol.dispose]()
    },
  }
}

/** Where this machine has a program. */
export function find(name: string): string {
  for (const directory of systemPath.split(':')) {
    const program = join(directory, name)
    try {
      accessSync(program)
      return program
    } catch {
      // The next one.
    }
  }
  if (name === 'node') return process.execPath
  throw new Error(`${name} is missing here: scripts/shells installs it`)
}

/** Of the supervisors and programs that have left their ids there. */
function pidsIn(runs: string): number[] {
  const names = ['resident', 'attached', 'pid', 'tails']
  const files = namesIn(runs).flatMap((run) => names.map((name) => join(runs, run, name)))
  return files.flatMap((file) => {
    // A file that is missing or not written yet must not read as process 0: that is this test's own process group.
    const found = [...textOf(file).matchAll(/([1-9]\d*) (\d+)/g)]
    return found.flatMap(([, pid, birth]) =>
      textOf(`/proc/${pid}/stat`).split(' ').includes(birth!) ? [Number(pid)] : [],
    )
  })
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
