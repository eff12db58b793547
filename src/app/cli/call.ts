import { existsSync } from 'node:fs'
import { type Endpoint, request, Unanswered } from '../../adapters/client/exchange.ts'
import { LineConnection } from '../../adapters/client/line-connection.ts'
import { askPatiently } from '../../adapters/client/patience.ts'
import { type Input, type Output, toolCall, toolResult } from '../../adapters/client/tool-call.ts'
import { systemClock } from '../../base/lib/clock.ts'
import { wholeMeta } from '../../base/protocol/daemon.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { askerName, external } from '../../base/protocol/pair.ts'
import type { OperationName } from '../../features/contracts.ts'
import { homePaths, irisHome } from '../../platform/config/home.ts'
import { commandShare, shareText } from '../../platform/config/share.ts'
import type { CommandContext } from './context.ts'
import type { FoundDaemon } from './find-daemon.ts'
import { processTag, refuseInsideAgent } from './inside-agent.ts'
import { refuseWithoutToken, runningDaemon } from './running-daemon.ts'

/** The default limit of a call, milliseconds. Ending a process that hangs, or starting a slow one, takes longest. */
const answerMs = 120_000

interface CallOptions {
  /** Default: aborts after `answerMs`. */
  readonly signal?: AbortSignal
  /** The daemon, where the caller has just found it. Default: the running one, started when none runs. */
  readonly daemon?: FoundDaemon
}

/**
 * Calls an operation as a program. Inside an agent the daemon recognises the calling process and applies that agent's
 * rights. Throws `daemon_unreachable`, and the daemon's refusals.
 */
export async function call<Name extends OperationName>(
  context: CommandContext,
  name: Name,
  input: Input<Name>,
  { signal = AbortSignal.timeout(answerMs), daemon }: CallOptions = {},
): Promise<Output<Name>> {
  if (daemon !== undefined) refuseWithoutToken(daemon, irisHome(context.env))
  const { mcp, socketPath, owner } = daemon ?? (await runningDaemon(context))
  const tag = context.env[processTag]
  const lines = tag === undefined && socketPath !== undefined && existsSync(socketPath)
  return send({ ...mcp, tag, share: shareOf(owner) }, name, input, signal, lines ? socketPath : undefined)
}

/**
 * Calls an operation as the owner. Throws `not_allowed` inside an agent, and if the owner's credential cannot be read.
 */
export async function ownerCall<Name extends OperationName>(
  context: CommandContext,
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  refuseInsideAgent(context.env, 'do what only its owner may do')
  const daemon = await runningDaemon(context)
  if (daemon.owner === undefined) {
    const what = `The owner's credential cannot be read: ${homePaths(irisHome(context.env)).owner}.`
    throw new IrisError('not_allowed', what, 'Run it as the user who owns this Iris, outside every agent.')
  }
  const endpoint = { ...daemon.mcp, token: daemon.owner, share: shareOf(daemon.owner) }
  return send(endpoint, name, input, AbortSignal.timeout(answerMs))
}

/**
 * Calls as the owner, who sees everything. Inside an agent, or without the owner's credential, does the same as `call`.
 */
export async function callToSeeAll<Name extends OperationName>(
  context: CommandContext,
  name: Name,
  input: Input<Name>,
  { signal = AbortSignal.timeout(answerMs) }: Pick<CallOptions, 'signal'> = {},
): Promise<Output<Name>> {
  const daemon = await runningDaemon(context)
  const { mcp, owner } = daemon
  if (context.env[processTag] !== undefined || owner === undefined)
    return call(context, name, input, { signal, daemon })
  return send({ ...mcp, token: owner, share: shareOf(owner) }, name, input, signal)
}

/** Makes a call that changes nothing; makes it again if the daemon was lost before its answer. */
export async function readAgain<T>(makeCall: () => Promise<T>): Promise<T> {
  try {
    return await makeCall()
  } catch (error) {
    if (!(error instanceof Unanswered) || !error.wasSent) throw error
    const { overRestarts } = await import('./ask/over-restarts.ts')
    return overRestarts(AbortSignal.timeout(answerMs), makeCall)
  }
}

/**
 * Commands have their own share of calls. An agent cannot read the owner's credential, so it uses its session's share.
 */
function shareOf(owner: string | undefined): string | undefined {
  return owner === undefined ? undefined : shareText(commandShare, owner)
}

async function send<Name extends OperationName>(
  endpoint: Endpoint,
  name: Name,
  input: Input<Name>,
  signal: AbortSignal,
  socketPath?: string,
): Promise<Output<Name>> {
  const message = toolCall(1, name, asNamed(input), { [wholeMeta]: true })
  const lines = socketPath === undefined ? undefined : await LineConnection.open({ path: socketPath, ...endpoint })
  try {
    const ask = () => (lines ? lines.request(message, signal) : request(endpoint, message, signal))
    return toolResult(name, await askPatiently(ask, systemClock, signal))
  } catch (error) {
    if (!signal.aborted || error instanceof IrisError) throw error
    throw new Unanswered(true, error)
  } finally {
    lines?.close()
  }
}

/** Lists show an asker without a team as `you`, so a person may type that too. */
function asNamed<Fields extends object>(input: Fields): Fields {
  const named = Object.entries(input).map(([field, value]) => [field, isYou(field, value) ? external : value])
  return Object.fromEntries(named) as Fields
}

function isYou(field: string, value: unknown): boolean {
  return (field === 'from' || field === 'fromTeam') && value === askerName(external)
}
