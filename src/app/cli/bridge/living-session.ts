import { join } from 'node:path'
import { isRecord } from '../../../base/lib/is-record.ts'
import { plainFile } from '../../../base/lib/plain-file.ts'
import { statusOf } from '../../../base/lib/process-start.ts'
import { type Environment, userHome } from '../../../platform/config/home.ts'

/** The most processes between Claude Code and the bridge, such as a launcher and a shell. */
const maxBetween = 3

/** Whether a person started the Claude Code that set this environment, and not a program (`claude -p`). */
export function isPersons(env: Environment): boolean {
  return env['CLAUDE_CODE_ENTRYPOINT'] === 'cli'
}

/** Where Claude Code keeps settings and its list of living sessions. */
export function configDirectoryOf(env: Environment): string {
  return env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude')
}

/** Without /proc only the parent is known. */
export function ancestorsFrom(parentPid: number): readonly number[] {
  const pids = [parentPid]
  for (let between = 0; between < maxBetween; between++) pids.push(Number(statusOf(pids.at(-1)!)?.[1] ?? 0))
  return pids
}

/** The entry of the process `pid` in Claude Code's list of running sessions, if a person has it open in a terminal. */
export function openSession(env: Environment, pid: number): Readonly<Record<string, unknown>> | undefined {
  try {
    const session: unknown = JSON.parse(plainFile(join(configDirectoryOf(env), 'sessions', `${pid}.json`)))
    if (!isRecord(session) || session['kind'] !== 'interactive') return undefined
    // A killed process leaves its file behind, and its pid may belong to a new process.
    const [began, ticks] = [session['procStart'], statusOf(pid)?.[19]]
    return typeof began === 'string' && ticks !== undefined && began !== ticks ? undefined : session
  } catch {
    return undefined
  }
}

/** Whether this process was started by a session that a person has open now. */
export function isInOpenSession(env: Environment, parentPid: number): boolean {
  return isPersons(env) && ancestorsFrom(parentPid).some((pid) => openSession(env, pid) !== undefined)
}
