import { irisHome } from '../../../platform/config/home.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { stopDaemon } from '../daemon-control.ts'
import { knownDaemon } from '../find-daemon.ts'
import { refuseHidden } from '../inside-agent.ts'
import type { Given } from '../table/spec.ts'

/** How long a daemon may take to say whether it works, milliseconds. */
const lookMs = 2000

/** Says that a stop may take a while, if a message is being answered or nobody knows whether one is. */
export async function noteStopping(context: CommandContext, home: string): Promise<void> {
  const daemon = knownDaemon(home)
  if (daemon === undefined) return
  try {
    const { teams } = await call(context, 'team_status', {}, { daemon, signal: AbortSignal.timeout(lookMs) })
    const isAtWork = teams.some(({ sessions }) =>
      sessions.some(
        ({ processState, queueLength }) => ['spawning', 'processing'].includes(processState) || queueLength > 0,
      ),
    )
    if (!isAtWork) return
  } catch {
    // It is busy, or an older one.
  }
  context.note('Stopping; running messages get up to 30 s to finish.')
}

export async function stop(given: Given): Promise<void> {
  const { context, env, options, json } = given
  if (typeof options['tree'] === 'string') return (await import('./stop-tree.ts')).stopTree(given, options['tree'])
  const home = irisHome(env)
  refuseHidden(env, home)
  await noteStopping(context, home)
  const stopped = await stopDaemon(home, env)
  if (json) return context.sayJson(stopped === 'not running' ? { stopped: false } : { stopped: true, ...stopped })
  context.say(stopped === 'not running' ? 'Iris is not running.' : `Iris has stopped (pid ${stopped.pid}).`)
}
