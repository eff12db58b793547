import { IrisError } from '../../base/protocol/error.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import { irisHome } from '../../platform/config/home.ts'
import type { CommandContext } from './context.ts'
import { type FoundDaemon, findDaemon, knownDaemon } from './find-daemon.ts'
import { refuseHidden, refuseInsideAgent } from './inside-agent.ts'

/**
 * The daemon of this IRIS_HOME, started when none runs. Throws `daemon_unreachable` within two seconds for a daemon
 * that does not answer, and the errors that keep a daemon from starting.
 */
export async function runningDaemon(context: CommandContext): Promise<FoundDaemon> {
  const home = irisHome(context.env)
  const { usedHomes } = context
  const daemon = await findDaemon(home)
  if (daemon === undefined) refuseSilent(knownDaemon(home))
  if (daemon === undefined && usedHomes.has(home)) {
    throw new IrisError(
      'daemon_unreachable',
      `Iris is not running any more (${home}).`,
      'Run "iris start --background".',
    )
  }
  const running = daemon ?? (await started(home, context))
  const other = usedHomes.has(home) ? undefined : otherVersion(running)
  if (other !== undefined) context.note(`Note: ${other}`)
  usedHomes.add(home)
  return running
}

/** Says that the command and the daemon are different versions, as after an update; undefined: they are the same. */
export function otherVersion({ version }: Pick<FoundDaemon, 'version'>): string | undefined {
  if (version === irisVersion) return undefined
  return `The daemon is Iris ${version}, and this command is Iris ${irisVersion}. "iris restart" starts this one.`
}

async function started(home: string, context: CommandContext): Promise<FoundDaemon> {
  const { env } = context
  refuseHidden(env, home)
  refuseInsideAgent(env, 'start a daemon')
  const { ensureDaemon } = await import('./daemon-control.ts')
  const daemon = await ensureDaemon({ home, env, spawn: context.spawnDaemon })
  // Another command may have started it meanwhile.
  context.note(`Iris was not running; it was started (pid ${daemon.pid}).`)
  return daemon
}

/** Throws `daemon_unreachable` for a process that lives but does not answer, so it neither runs nor is stopped. */
export function refuseSilent(daemon: FoundDaemon | undefined): void {
  if (daemon === undefined) return
  throw new IrisError(
    'daemon_unreachable',
    `The daemon (pid ${daemon.pid}, port ${daemon.port}) does not answer.`,
    `If it stays like this, end it with "kill ${daemon.pid}": what was accepted is kept.`,
  )
}
