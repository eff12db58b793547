import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Isolation } from './child.ts'
import { findExecutable, systemPath } from './find-executable.ts'
import { type HidingView, hiding } from './hiding.ts'
import { identityAt } from './identity.ts'
import { type SandboxView, sandbox } from './sandbox.ts'

/** A way to isolate a program, or why there is none on this machine. */
export type Means<View> =
  | { readonly isolate: (view: View) => Isolation }
  /** `isUndecided`: the trial did not end in time, so another trial may have a different result. */
  | { readonly lacks: string; readonly isUndecided?: true }

/** The ways of isolation that work on this machine. */
export interface IsolationMeans {
  readonly hiding: Means<HidingView>
  readonly sandbox: Means<SandboxView>
}

const run = promisify(execFile)
/**
 * A trial takes milliseconds, but a very busy machine must not lose its isolation just because a trial takes longer.
 */
const trialMs = 60_000

/** Tries each way once. Looks for programs in the usual places of the system, then in `path`. */
export async function isolationMeans(
  path: string,
  { usualPath = systemPath, temporary = tmpdir(), patienceMs = trialMs } = {},
): Promise<IsolationMeans> {
  if (process.platform !== 'linux') {
    const lacks = 'it needs Linux'
    return { hiding: { lacks }, sandbox: { lacks } }
  }
  const [hides, shuts] = await Promise.all([
    hidingMeans(`${usualPath}:${path}`, [temporary, '/tmp', '/var/tmp', '/dev/shm'], patienceMs),
    sandboxMeans(`${usualPath}:${path}`, patienceMs),
  ])
  return { hiding: hides, sandbox: shuts }
}

/** The prefix of the trial's directories; the trial takes a few seconds at most. */
export const isolationPrefix = 'iris-isolation-'

/** Directories for the trial: one to hide, and one of which a part stays visible. */
interface Tried {
  readonly directory: string
  readonly hidden: string
  readonly narrowed: string
}

async function hidingMeans(
  path: string,
  places: readonly string[],
  timeout: number,
): Promise<IsolationMeans['hiding']> {
  const names = ['unshare', 'mount', 'sh'] as const
  const [unshare, mount, sh] = await Promise.all(names.map((name) => findExecutable(name, path)))
  if (!unshare || !mount || !sh) return { lacks: `it needs the system's ${names.join(', ')} (util-linux)` }
  const isolate = hiding({ unshare, mount, sh })
  let made: Tried
  try {
    made = await madeInOneOf(places)
  } catch (error) {
    return { lacks: `there is no directory to try it in (${why(error)})` }
  }
  const { directory, hidden, narrowed } = made
  try {
    const view = {
      hidden: [hidden],
      narrowed: { directory: narrowed, kept: ['kept'] },
      settled: [],
      fixed: [directory],
    }
    await run(...line(isolate(view), sh, '-c', unseen, sh, directory, String(process.pid)), { timeout })
    return { isolate }
  } catch (error) {
    return hasTimedOut(error)
      ? undecided(timeout)
      : { lacks: `user and mount namespaces are not allowed here (${why(error)})` }
  } finally {
    await rm(directory, { recursive: true, force: true }).catch(() => {})
  }
}

/** TMPDIR may name a directory that is gone, full or read-only; that must not leave agents without isolation. */
async function madeInOneOf([place, ...others]: readonly string[]): Promise<Tried> {
  let directory: string | undefined
  try {
    directory = await mkdtemp(join(place!, isolationPrefix))
    const [hidden, narrowed] = [join(directory, 'hidden'), join(directory, 'narrowed')]
    for (const path of [hidden, join(narrowed, 'kept'), join(narrowed, 'other')]) await mkdir(path, { recursive: true })
    await writeFile(join(hidden, 'file'), 'x')
    return { directory, hidden, narrowed }
  } catch (error) {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true }).catch(() => {})
    if (others.length === 0) throw error
    return madeInOneOf(others)
  }
}

/** Checks that the file can be reached neither by its path nor through the process that hides it. */
const unseen = `
[ ! -e "$1/hidden/file" ] && [ ! -e "/proc/$2/root$1/hidden/file" ] &&
[ ! -e "$1/narrowed/other" ] && touch "$1/narrowed/kept/made" && ! mkdir "$1/narrowed/made" 2>/dev/null`

async function sandboxMeans(path: string, timeout: number): Promise<IsolationMeans['sandbox']> {
  const names = ['bwrap', 'sh', 'stat'] as const
  const [bwrap, sh, stat] = await Promise.all(names.map((name) => findExecutable(name, path)))
  if (bwrap === undefined) return { lacks: 'bubblewrap is not installed' }
  if (!sh || !stat) return { lacks: "it needs the system's sh and stat" }
  // Uses the real paths of these programs, because links to them are missing in a sandbox.
  const isolate = sandbox({ bwrap, sh: await realpath(sh), stat: await realpath(stat) })
  const nothing = { writable: [], readable: [], copies: [], empty: [], sealed: [], hidden: [] }
  try {
    const mounted = [{ path: '/usr', identity: await identityAt('/usr') }]
    await run(...line(isolate({ directory: '/', home: '/', ...nothing, mounted }), 'true'), { timeout })
    return { isolate }
  } catch (error) {
    return hasTimedOut(error) ? undecided(timeout) : { lacks: `bubblewrap does not work here (${why(error)})` }
  }
}

function line({ by: [program, ...before] }: Isolation, ...args: string[]): [string, string[]] {
  return [program!, [...before, ...args]]
}

function hasTimedOut(error: unknown): boolean {
  return (error as { readonly killed?: boolean }).killed === true
}

function undecided(ms: number): { readonly lacks: string; readonly isUndecided: true } {
  const lacks = `a trial of it did not end within ${ms / 1000} s; Iris tries again when it next starts a process`
  return { lacks, isUndecided: true }
}

function why(error: unknown): string {
  const { stderr = '' } = error as { stderr?: string }
  return stderr.trim().split('\n')[0] || (error instanceof Error ? error.message : String(error))
}
