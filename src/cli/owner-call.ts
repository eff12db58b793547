import { request } from '../client/exchange.ts'
import { type Input, type Output, toolCall, toolResult } from '../client/tool-call.ts'
import { type Environment, homePaths, irisHome } from '../config/home.ts'
import { IrisError } from '../protocol/error.ts'
import type { OperationName } from '../protocol/operations/index.ts'
import { findDaemon } from './find-daemon.ts'
import { refuseInsideAgent } from './inside-agent.ts'

const answerMs = 30_000

/** One call of the daemon by the person who owns this Iris. Throws `daemon_unreachable`, and what the daemon refuses. */
export async function ownerCall<Name extends OperationName>(
  env: Environment,
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  refuseInsideAgent(env, "do what is its owner's alone")
  const home = irisHome(env)
  const daemon = await findDaemon(home)
  if (daemon === undefined) {
    const what = `Iris is not running (${home}).`
    throw new IrisError('daemon_unreachable', what, 'Run "iris start".')
  }
  if (daemon.owner === undefined) {
    const what = `The owner's credential cannot be read: ${homePaths(home).owner}.`
    throw new IrisError('not_allowed', what, 'Run it as the user who owns this Iris, outside every agent.')
  }
  const endpoint = { ...daemon.mcp, token: daemon.owner }
  const answer = await request(endpoint, toolCall(1, name, input), AbortSignal.timeout(answerMs))
  return toolResult(name, answer)
}
