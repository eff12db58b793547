import { existsSync } from 'node:fs'
import { IrisError } from '../../base/protocol/error.ts'
import { irisVersion } from '../../base/protocol/version.ts'
import { homePaths, irisHome } from '../../platform/config/home.ts'
import type { CommandContext } from './context.ts'
import { type FoundDaemon, findDaemon, hasDied, knownDaemon } from './find-daemon.ts'
import { processTag, refuseHidden, refuseInsideAgent } from './inside-agent.ts'

/** No daemon could be started: another try would fail in the same way. */
export class NotStarted extends IrisError {
  constructor(cause: IrisError) {
    super(cause.code, cause.message, cause.remedy, { cause })
  }
}

const died = 'Iris had ended unexpectedly; it was started again'

/**
 * The daemon of this IRIS_HOME, started when none runs. A daemon that this run used before is started again only if it
 * died: one that was stopped stays stopped. Throws `daemon_unreachable` within two seconds for a daemon that does not
 * answer, and NotStarted with the error that keeps a daemon from starting.
 */
export async function runningDaemon(context: CommandContext): Promise<FoundDaemon> {
  const home = irisHome(context.env)
  const { usedHomes } = context
  const daemon = await findDaemon(home)
  if (daemon !== undefined) refuseWithoutToken(daemon, home)
  if (daemon === undefined) refuseSilent(knownDaemon(home))
  const wasUsed = usedHomes.has(home)
  if (daemon === undefined && wasUsed && !(hasDied(home) && context.env[processTag] === undefined)) {
    throw new IrisError('daemon_unreachable', `Iris is no longer running (${home}).`, 'Run "iris start --background".')
  }
  const running = daemon ?? (await started(home, context, wasUsed ? died : 'Iris was not running; it was started'))
  const other = wasUsed ? undefined : otherVersion(running)
  if (other !== undefined) context.note(`Note: ${other}`)
  usedHomes.add(home)
  return running
}

/** Throws `not_found` for a running daemon whose token nobody can send. */
export function refuseWithoutToken({ mcp }: FoundDaemon, home: string): void {
  if (mcp.token !== '') return
  const { token } = homePaths(home)
  const what = existsSync(token) ? 'holds no token' : 'is missing'
  throw new IrisError('not_found', `${token} ${what}.`, 'Run "iris restart": the daemon creates a new one.')
}

/** Says that the command and the daemon are different versions, as after an update. Undefined if they are the same. */
export function otherVersion({ version }: Pick<FoundDaemon, 'version'>): string | undefined {
  if (version === irisVersion) return undefined
  return `The daemon is Iris ${version}, and this command is Iris ${irisVersion}. "iris restart" starts this one.`
}

async function started(home: string, context: CommandContext, what: string): Promise<FoundDaemon> {
  const { env } = context
  refuseHidden(env, home)
  refuseInsideAgent(env, 'start a daemon')
  const { ensureDaemon } = await import('./daemon-control.ts')
  const daemon = await ensureDaemon({ home, env, spawn: context.spawnDaemon }).catch((error: unknown) => {
    throw error instanceof IrisError ? new NotStarted(error) : error
  })
  // The text says that it "was started", because another command may have started the daemon meanwhile.
  context.note(`${what} (pid ${daemon.pid}).`)
  return daemon
}

/**
 * The daemon of this IRIS_HOME; undefined if none is running. Throws `daemon_unreachable` for a process that is alive
 * but does not answer, which counts neither as running nor as stopped, and for one that holds the lock while no file
 * says how to reach it.
 */
export async function daemonIfAny(home: string): Promise<FoundDaemon | undefined> {
  const found = await findDaemon(home)
  if (found !== undefined) return found
  const { lockHolder } = await import('./lock-holder.ts')
  if ((await lockHolder(home)) === undefined) return undefined
  // It may have begun to listen meanwhile.
  const late = await findDaemon(home)
  if (late === undefined) refuseSilent(knownDaemon(home))
  return late
}

function refuseSilent(daemon: FoundDaemon | undefined): void {
  if (daemon === undefined) return
  throw new IrisError(
    'daemon_unreachable',
    `The daemon (pid ${daemon.pid}, port ${daemon.port}) does not answer.`,
    `If this persists, end it with "kill ${daemon.pid}". Accepted messages are kept.`,
  )
}
