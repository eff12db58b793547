import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { SessionInput } from '../../base/operation/pair.ts'
import type { PairIds } from '../../base/protocol/event.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

export const sessionAttach = operation({
  name: 'session_attach',
  routes: ['POST /api/sessions/attach'],
  title: 'Take a conversation over in a terminal',
  description:
    "Returns the command to continue a conversation in a terminal, and ends Iris's idle process for it. Messages wait while a person has it open. If a message is running, this changes nothing and names the message: let it finish first.",
  access: 'owner',
  isTool: false,
  input: SessionInput,
  output: z.object({
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    sessionId: z.string(),
    directory: z.string().describe('Where to run it; Claude Code finds the conversation only there'),
    command: z.array(z.string()).describe('The command as a list of arguments, without a shell'),
    env: z.record(z.string(), z.string()).describe('Environment variables to add'),
    tokenFile: z.string().optional().describe('The file whose content to put into CLAUDE_CODE_OAUTH_TOKEN'),
    terminalCommand: z.string().describe('The same command, as a single shell command line'),
    runningTurnId: z.string().optional().describe('The running message'),
    timestamp: Timestamp,
  }),
  readOnly: false,
})

/** The events of this feature, by their types. */
export interface TakeOverEvents {
  /**
   * A person has the session open in their own claude, with the process id `pid`. `as`: the session id there, which
   * changes after /clear or /branch.
   */
  readonly 'session-held': PairIds & { readonly pid: number; readonly as: string }
  readonly 'session-released': PairIds & { readonly pid: number }
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends TakeOverEvents {}
}
