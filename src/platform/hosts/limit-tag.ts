import type { Command } from '../machine/child.ts'
import { limitTagOf } from '../machine/process-tag.ts'
import type { Scripts } from './remote-tree.ts'

/** How long processes that have cleared their environment have to end by themselves, seconds. */
const graceSeconds = 1

/**
 * The command with a limit tag, which the program cannot remove (docs/decisions/0036); unchanged where `prlimit` is
 * missing.
 */
export function withLimitTag(command: Command, tag: string): Command {
  const limit = limitTagOf(tag)
  if (limit === undefined) return command
  const script = `command -v prlimit >/dev/null && prlimit --locks=${limit}:${limit} true 2>/dev/null && exec prlimit --locks=${limit}:${limit} -- "$@"; exec "$@"`
  return { ...command, executable: '/bin/sh', args: ['-c', script, 'sh', command.executable, ...command.args] }
}

/**
 * Ends the remaining processes of the programs with these tags. Once a program has ended, none of its processes may
 * keep running.
 */
export async function endLimited(scripts: Pick<Scripts, 'run'>, tags: readonly string[]): Promise<void> {
  const limits = tags.map((tag) => limitTagOf(tag)).filter((limit) => limit !== undefined)
  if (limits.length === 0) return
  // The soft limit may have been lowered.
  await scripts.run(`
    left() { grep -lE '^Max file locks +[0-9]+ +(${limits.join('|')}) ' /proc/[0-9]*/limits | cut -d / -f 3; }
    [ -r /proc/self/limits ] || exit 0
    p=$(left); [ -n "$p" ] || exit 0
    kill -TERM $p; sleep ${graceSeconds}; p=$(left); [ -z "$p" ] || kill -KILL $p`)
}
