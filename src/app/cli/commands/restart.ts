import { irisHome } from '../../../platform/config/home.ts'
import { refuseMistakes, stopDaemon } from '../daemon-control.ts'
import { knownDaemon } from '../find-daemon.ts'
import { refuseInsideAgent } from '../inside-agent.ts'
import { haveDone, serviceOf } from '../service/own-service.ts'
import type { Given } from '../table/spec.ts'
import { startInBackground } from './start.ts'
import { lookAtDaemon, noteStopping } from './stop.ts'

/** Stops the daemon like `iris stop` and starts a new one, which continues all accepted messages. */
export async function restart({ context, env, json }: Given): Promise<void> {
  refuseInsideAgent(env, 'restart the daemon')
  const home = irisHome(env)
  const daemon = knownDaemon(home)
  const running = await lookAtDaemon(context, home)
  await refuseMistakes(home, env, running)
  noteStopping(context, running)
  const service = daemon && (await serviceOf(daemon.pid, home, env))
  if (service?.restart) await haveDone(service.restart, service, env)
  else await stopDaemon(home, env)
  await startInBackground(context, json)
}
