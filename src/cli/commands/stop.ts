import { type Environment, irisHome } from '../../config/home.ts'
import { stopDaemon } from '../daemon-control.ts'
import { knownDaemon } from '../find-daemon.ts'
import { note, say } from '../say.ts'

export async function stop(env: Environment): Promise<void> {
  const home = irisHome(env)
  if (knownDaemon(home)) note('Stopping; what is being answered may end first (up to 30 s).')
  const stopped = await stopDaemon(home)
  say(stopped === 'not running' ? 'Iris is not running.' : `Iris has stopped (pid ${stopped.pid}).`)
}
