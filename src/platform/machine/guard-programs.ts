import { findExecutable, systemPath } from './find-executable.ts'
import { limitTagOf } from './process-tag.ts'

/**
 * Programs of the system (util-linux) through which the processes of agents are started; undefined if a program is
 * missing.
 */
export interface GuardPrograms {
  /** Gives each process its limit tag. */
  readonly prlimit: string | undefined
  /** Sends a program SIGTERM when the daemon dies. */
  readonly setpriv: string | undefined
}

/** Prefers the system's own programs, because an agent may be able to write somewhere in PATH. Linux only. */
export async function guardPrograms(path: string, usualPath = systemPath): Promise<GuardPrograms> {
  if (process.platform !== 'linux') return { prlimit: undefined, setpriv: undefined }
  const find = (name: string) => findExecutable(name, `${usualPath}:${path}`)
  const [prlimit, setpriv] = await Promise.all([find('prlimit'), find('setpriv')])
  return { prlimit, setpriv }
}

/**
 * What Iris cannot guarantee on this machine without these programs, one sentence each. `hasRoom`: whether this
 * process's own limit leaves room for limit tags.
 */
export function withoutGuards(
  { prlimit, setpriv }: GuardPrograms,
  hasRoom = limitTagOf('any.process') !== undefined,
): readonly string[] {
  if (process.platform !== 'linux') return []
  const untagged =
    'a process of a non-isolated agent that leaves its parents and clears its environment counts as yours'
  const abrupt =
    'when the daemon dies, its agents are killed without a SIGTERM, before they have written the end of their transcripts'
  return [
    ...(prlimit === undefined ? [`prlimit (util-linux) is missing: ${untagged}`] : []),
    ...(prlimit !== undefined && !hasRoom ? [`the limit on file locks leaves no room for tags: ${untagged}`] : []),
    ...(setpriv === undefined ? [`setpriv (util-linux) is missing: ${abrupt}`] : []),
  ]
}
