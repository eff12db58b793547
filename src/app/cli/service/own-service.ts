import { IrisError } from '../../../base/protocol/error.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { processTag } from '../inside-agent.ts'
import { answerOf, isServiceOf, type Manager, managerOf } from './manager.ts'

/** The service for the daemon of this home, if it is installed and its manager answers. */
export async function ownService(home: string, env: Environment): Promise<Manager | undefined> {
  const manager = managerOf(env)
  // An agent must not use the service; the daemon decides what an agent may do.
  if (env[processTag] || !isServiceOf(manager, home)) return undefined
  return (await answerOf(manager.probe, env)) === undefined ? undefined : manager
}

/** The same service, if `pid` is the service's own process and not a daemon that was started by hand. */
export async function serviceOf(pid: number, home: string, env: Environment): Promise<Manager | undefined> {
  const manager = await ownService(home, env)
  if (manager?.pid === undefined) return undefined
  return (await answerOf(manager.pid, env)) === String(pid) ? manager : undefined
}

/** Runs a command of the manager. Throws `daemon_unreachable` when it fails. */
export async function haveDone(words: readonly string[], { moreFrom }: Manager, env: Environment): Promise<void> {
  if ((await answerOf(words, env)) !== undefined) return
  throw new IrisError(
    'daemon_unreachable',
    `Iris runs as a service here, and "${words.join(' ')}" failed.`,
    `See "${moreFrom.join(' ')}". To write the service again: "iris service install".`,
  )
}
