import { IrisError } from '../../../base/protocol/error.ts'
import { type Environment, irisHome } from '../../../platform/config/home.ts'
import { ownerCall } from '../call.ts'
import { exitCodeOf } from '../exit-code.ts'
import { findDaemon } from '../find-daemon.ts'
import { refuseInsideAgent } from '../inside-agent.ts'

/** Refuses agents. Also asks a running daemon, which recognises an agent without its tag. Throws `not_allowed`. */
export async function refuseAgents(env: Environment, what: string): Promise<void> {
  refuseInsideAgent(env, what)
  if ((await findDaemon(irisHome(env))) === undefined) return
  try {
    await ownerCall(env, 'list_permissions', {})
  } catch (error) {
    if (!(error instanceof IrisError)) throw error
    if (exitCodeOf(error.code) === exitCodeOf('not_allowed')) throw error
  }
}
