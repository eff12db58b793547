import { irisHome } from '../../../platform/config/home.ts'
import { stopDaemon } from '../daemon-control.ts'
import { knownDaemon } from '../find-daemon.ts'
import { refuseHidden } from '../inside-agent.ts'
import type { Given } from '../table/spec.ts'

export async function stop(given: Given): Promise<void> {
  const { context, env, options, json } = given
  if (typeof options['tree'] === 'string') return (await import('./stop-tree.ts')).stopTree(given, options['tree'])
  const home = irisHome(env)
  refuseHidden(env, home)
  if (knownDaemon(home)) context.note('Stopping; what is being answered may end first (up to 30 s).')
  const stopped = await stopDaemon(home, env)
  if (json) return context.sayJson(stopped === 'not running' ? { stopped: false } : { stopped: true, ...stopped })
  context.say(stopped === 'not running' ? 'Iris is not running.' : `Iris has stopped (pid ${stopped.pid}).`)
}
