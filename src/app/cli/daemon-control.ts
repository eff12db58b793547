import { setTimeout as delay } from 'node:timers/promises'
import { sendForJson } from '../../adapters/client/send.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { isRecord } from '../../base/lib/is-record.ts'
import { isAlive } from '../../base/lib/process-alive.ts'
import { type ErrorCode, IrisError } from '../../base/protocol/error.ts'
import { type Environment, homePaths } from '../../platform/config/home.ts'
import { exitCodeOf } from './exit-code.ts'
import { type FoundDaemon, findDaemon, knownDaemon } from './find-daemon.ts'
import { refuseHidden, refuseInsideAgent } from './inside-agent.ts'
import { lockHolder } from './lock-holder.ts'
import { haveDone, ownService, serviceOf } from './service/own-service.ts'
import { soleStarter } from './sole-starter.ts'
import { type StartedDaemon, spawnDaemon } from './spawn-daemon.ts'

export interface EnsureOptions {
  /** IRIS_HOME, absolute. */
  readonly home: string
  /** The caller's environment, from which the daemon gets its own. */
  readonly env: Environment
  /** How long to wait for a daemon that answers, milliseconds. */
  readonly waitMs?: number
  /** Default: `spawnDaemon`. */
  readonly spawn?: typeof spawnDaemon | undefined
}

const startMs = 30_000
const lookAgainMs = 50
const tryAgainMs = 500
/** A stopping daemon gives turns 30 s to end, so this is longer. */
const stopMs = 40_000
const stopNowMs = 8000
const killMs = 2000
const askMs = 5000
const goneMs = 2000

/**
 * The daemon of this IRIS_HOME; starts one if none is running. If several callers find none, one of them starts it and
 * the others wait. Throws, with the daemon's output, `config_invalid`, `port_taken`, `not_adopted`,
 * `store_unavailable`, or else `daemon_unreachable`. Throws `not_allowed` inside an agent.
 */
export async function ensureDaemon({
  home,
  env,
  waitMs = startMs,
  spawn = spawnDaemon,
}: EnsureOptions): Promise<FoundDaemon> {
  const began = systemClock.elapsed()
  let started: StartedDaemon | undefined
  let letGo: (() => void) | undefined
  let isHeld = false
  try {
    for (;;) {
      const found = await findDaemon(home)
      if (found) return found
      refuseHidden(env, home)
      refuseInsideAgent(env, 'start a daemon')
      if (letGo === undefined) {
        letGo = soleStarter(homePaths(home).starting, systemClock.now())
        // The previous holder of the starter's place may have started the daemon since the last check.
        if (letGo !== undefined) continue
      } else {
        started ??= await startDaemon(home, env, spawn)
      }
      const end = started?.end()
      if (end === exitCodeOf('already_running')) {
        // The daemon that holds the lock is either starting or ending.
        started = undefined
        isHeld = true
        await delay(tryAgainMs)
      } else if (end !== undefined) {
        throw notStarted(`It ended at once (${end}).`, started, home, end)
      }
      if (systemClock.elapsed() - began > waitMs) {
        // No caller waits for this daemon now.
        started?.stop()
        if (isHeld) await lockHolder(home, 0)
        throw notStarted(`None answered within ${Math.round(waitMs / 1000)} s.`, started, home)
      }
      await delay(lookAgainMs)
    }
  } finally {
    letGo?.()
  }
}

/** Starts this home's service if there is one, because a separate daemon would keep the service from running. */
async function startDaemon(home: string, env: Environment, spawn: typeof spawnDaemon): Promise<StartedDaemon> {
  const service = await ownService(home, env)
  if (service === undefined) return spawn(home, env)
  await haveDone(service.start, service, env)
  return { end: () => undefined, said: () => '', stop: () => {} }
}

/**
 * Call before ending a daemon or creating a service that starts one. Throws `config_invalid` if the next daemon could
 * not start, or would lack all teams of the running one (`teams`) because the file is gone or empty. The running one
 * continues with the configuration in force.
 */
export async function refuseMistakes(
  home: string,
  env: Environment,
  { teams }: { readonly teams: readonly string[] },
): Promise<void> {
  try {
    // Loaded only here: it takes longer than a command may.
    const { loadConfig } = await import('../../platform/config/load.ts')
    await loadConfig({ home, env, mustExist: teams.length > 0 })
  } catch (error) {
    if (!(error instanceof IrisError)) throw error
    const kept = 'Nothing was stopped: a daemon could not start with this file.'
    throw new IrisError(error.code, error.message, `${error.remedy}\n${kept}`, { cause: error })
  }
}

export type Stopped = { readonly pid: number } | 'not running'

/**
 * Asks the daemon to stop and waits until its process has ended; running turns may end first. Throws
 * `daemon_unreachable` when it cannot be found, does not answer or does not end, `not_allowed` without the owner's credential.
 */
export async function stopDaemon(home: string, env: Environment): Promise<Stopped> {
  const daemon = (await findDaemon(home)) ?? (await lockHolder(home))
  if (daemon === undefined) return 'not running'
  const { pid, owner } = daemon
  if (owner === undefined) throw ownerUnknown(homePaths(home).owner)
  const service = await serviceOf(pid, home, env)
  if (service?.stop) await haveDone(service.stop, service, env)
  else await askToStop(daemon, owner)
  if (await hasGone(pid, stopMs)) return { pid }
  throw new IrisError(
    'daemon_unreachable',
    `The daemon (pid ${pid}) was asked to stop and has not ended yet.`,
    `See ${homePaths(home).log}, or end it with "kill -9 ${pid}". Accepted messages are kept.`,
  )
}

/** Ends the daemon without waiting for running turns, and kills it if it does not end. */
export async function stopDaemonNow(home: string): Promise<Stopped> {
  const daemon = knownDaemon(home)
  if (daemon === undefined) return 'not running'
  const { pid } = daemon
  // The second signal means "at once". The signals differ, because two pending signals of one kind are delivered once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) send(pid, signal)
  if (!(await hasGone(pid, stopNowMs))) send(pid, 'SIGKILL')
  await hasGone(pid, killMs)
  return { pid }
}

async function hasGone(pid: number, withinMs: number): Promise<boolean> {
  const began = systemClock.elapsed()
  while (isAlive(pid)) {
    if (systemClock.elapsed() - began > withinMs) return false
    await delay(lookAgainMs)
  }
  return true
}

function send(pid: number, signal: NodeJS.Signals): void {
  if (isAlive(pid)) process.kill(pid, signal)
}

async function askToStop({ url, pid }: FoundDaemon, owner: string): Promise<void> {
  try {
    const headers = { authorization: `Bearer ${owner}` }
    const sent = { method: 'POST', headers, signal: AbortSignal.timeout(askMs) } as const
    const { status, body } = await sendForJson(`${url}/stop`, sent)
    if (status === 401 || status === 403) throw refusal(body)
    if (status < 200 || status > 299) throw new Error(`HTTP ${status}`)
  } catch (cause) {
    if (cause instanceof IrisError) throw cause
    // A daemon with nothing to wait for may end before it answers.
    if (await hasGone(pid, goneMs)) return
    throw new IrisError(
      'daemon_unreachable',
      `The daemon (pid ${pid}) does not answer.`,
      `End it with "kill ${pid}", or with "kill -9 ${pid}" if that does not help. Accepted messages are kept.`,
      { cause },
    )
  }
}

function ownerUnknown(path: string): IrisError {
  return new IrisError(
    'not_allowed',
    `Only the person who owns this Iris may stop it, and Iris cannot read their credential from here: ${path}.`,
    'Run it as that user, outside every agent.',
  )
}

function refusal(body: unknown): IrisError {
  const error = isRecord(body) && isRecord(body['error']) ? body['error'] : {}
  return new IrisError('not_allowed', String(error['message']), String(error['remedy']))
}

/** Errors that a daemon reports by its exit code. */
const ownFaults = [
  'config_invalid',
  'port_taken',
  'not_adopted',
  'store_unavailable',
] as const satisfies readonly ErrorCode[]

function notStarted(
  how: string,
  started: StartedDaemon | undefined,
  home: string,
  end?: ReturnType<StartedDaemon['end']>,
): IrisError {
  const said = started?.said() ?? ''
  // The daemon's last output is its error with the remedy; the log precedes it.
  const error = said.slice(Math.max(0, said.lastIndexOf('\nerror: '))).trim()
  const last = error.split('\n').slice(-30).join('\n')
  return new IrisError(
    ownFaults.find((code) => exitCodeOf(code) === end) ?? 'daemon_unreachable',
    `The daemon is not running. ${how}${last && ` It said:\n${last}`}`,
    `Its log is ${homePaths(home).log}.`,
  )
}
