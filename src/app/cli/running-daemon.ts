import { IrisError } from '../../base/protocol/error.ts'
import { type Environment, irisHome } from '../../platform/config/home.ts'
import { type FoundDaemon, findDaemon, knownDaemon } from './find-daemon.ts'

/** The daemon of this IRIS_HOME. Throws `daemon_unreachable`, after two seconds at the most, with what to do about it. */
export async function runningDaemon(env: Environment): Promise<FoundDaemon> {
  const home = irisHome(env)
  const daemon = await findDaemon(home)
  if (daemon !== undefined) return daemon
  refuseSilent(knownDaemon(home))
  const what = `Iris is not running (${home}).`
  throw new IrisError('daemon_unreachable', what, 'Run "iris start --background".')
}

/** Nobody listens, yet the process lives: neither "running" nor "not running" would be true. */
export function refuseSilent(daemon: FoundDaemon | undefined): void {
  if (daemon === undefined) return
  throw new IrisError(
    'daemon_unreachable',
    `The daemon (pid ${daemon.pid}, port ${daemon.port}) does not answer.`,
    `If it stays like this, end it with "kill ${daemon.pid}": what was accepted is kept.`,
  )
}
