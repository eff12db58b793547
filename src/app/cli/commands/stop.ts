import { irisHome } from '../../../platform/config/home.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { stopDaemon } from '../daemon-control.ts'
import { knownDaemon } from '../find-daemon.ts'
import { refuseHidden } from '../inside-agent.ts'
import type { Given } from '../table/spec.ts'

/** How long a daemon may take to say whether it works, milliseconds. */
const lookMs = 2000

interface Running {
  /** True if a message is being answered, or if it is unknown whether one is. */
  readonly isAtWork: boolean
  /** The names of the teams. */
  readonly teams: readonly string[]
}

/** What the daemon of this home is doing, if one is running. */
export async function lookAtDaemon(context: CommandContext, home: string): Promise<Running> {
  const daemon = knownDaemon(home)
  if (daemon === undefined) return { isAtWork: false, teams: [] }
  try {
    const { teams } = await call(context, 'team_status', {}, { daemon, signal: AbortSignal.timeout(lookMs) })
    const isAtWork = teams.some(({ sessions }) =>
      sessions.some(
        ({ processState, queueLength }) => ['spawning', 'processing'].includes(processState) || queueLength > 0,
      ),
    )
    return { isAtWork, teams: teams.map(({ name }) => name) }
  } catch {
    // The daemon is busy, or is of an older version.
    return { isAtWork: true, teams: [] }
  }
}

/** Says that a stop may take a while. */
export function noteStopping(context: CommandContext, { isAtWork }: Running): void {
  if (isAtWork) context.note('Stopping; running messages get up to 30 s to finish.')
}

export async function stop(given: Given): Promise<void> {
  const { context, env, options, json } = given
  if (typeof options['tree'] === 'string') return (await import('./stop-tree.ts')).stopTree(given, options['tree'])
  const home = irisHome(env)
  refuseHidden(env, home)
  noteStopping(context, await lookAtDaemon(context, home))
  const stopped = await stopDaemon(home, env)
  if (json) return context.sayJson(stopped === 'not running' ? { stopped: false } : { stopped: true, ...stopped })
  context.say(stopped === 'not running' ? 'Iris is not running.' : `Iris has stopped (pid ${stopped.pid}).`)
}
