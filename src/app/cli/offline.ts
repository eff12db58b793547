import { type Environment, irisHome } from '../../platform/config/home.ts'
import { refuseHidden, refuseInsideAgent } from './inside-agent.ts'
import { daemonIfAny } from './running-daemon.ts'

/** Whether no daemon of this home runs. Throws `not_allowed` inside an agent, `daemon_unreachable` if one hangs. */
export async function isOffline(env: Environment): Promise<boolean> {
  const home = irisHome(env)
  if (await daemonIfAny(home)) return false
  refuseHidden(env, home)
  refuseInsideAgent(env, 'read what its daemon wrote')
  return true
}
