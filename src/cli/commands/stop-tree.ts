import { request } from '../../client/exchange.ts'
import { toolCall, toolResult } from '../../client/tool-call.ts'
import { type Environment, irisHome } from '../../config/home.ts'
import { pairText } from '../../protocol/party.ts'
import { findDaemon } from '../find-daemon.ts'
import { say } from '../say.ts'

/** What runs is interrupted, which takes a process that hangs some seconds. */
const answerMs = 60_000

/** Ends a turn with everything it caused, and says what that was. */
export async function stopTree(env: Environment, turnId: string): Promise<void> {
  const daemon = await findDaemon(irisHome(env))
  if (daemon === undefined) return say('Iris is not running.')
  const cancel = toolCall(1, 'session_cancel', { turnId, tree: true })
  const answer = await request(daemon.mcp, cancel, AbortSignal.timeout(answerMs))
  const { message, ended = [] } = toolResult('session_cancel', answer)
  say(message)
  for (const turn of ended) say(`  ${turn.turnId}  ${pairText(turn)}  ${turn.outcome}`)
}
