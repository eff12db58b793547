import { IrisError } from '../../../base/protocol/error.ts'
import { irisHome } from '../../../platform/config/home.ts'
import { ownerCall } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { exitCodeOf } from '../exit-code.ts'
import { findDaemon } from '../find-daemon.ts'
import { refuseInsideAgent } from '../inside-agent.ts'

/** Refuses agents. Also asks a running daemon, which recognises an agent even without its tag. Throws `not_allowed`. */
export async function refuseAgents(context: CommandContext, what: string): Promise<void> {
  refuseInsideAgent(context.env, what)
  if ((await findDaemon(irisHome(context.env))) === undefined) return
  try {
    await ownerCall(context, 'list_permissions', {})
  } catch (error) {
    if (!(error instanceof IrisError)) throw error
    if (exitCodeOf(error.code) === exitCodeOf('not_allowed')) throw error
  }
}
