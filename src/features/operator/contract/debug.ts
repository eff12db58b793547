import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { SessionInput } from '../../../base/operation/pair.ts'
import { ProcessStateView, Timestamp } from '../../../base/protocol/session-view.ts'
import { IsolationView } from '../../teams/contract.ts'

export const debugSession = operation({
  name: 'debug_session',
  routes: ['GET /api/sessions/debug'],
  title: "Show how a conversation's process was started",
  description:
    'Shows how the latest process of a conversation was started (command and settings), what is hidden from it, its state, and the command to take the conversation over. Secrets are left out.',
  access: 'owner',
  isTool: false,
  input: SessionInput.extend({
    sessionId: z.string().optional().describe('This conversation, archived or not, instead of team and thread'),
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    sessionId: z.string().describe("Claude Code's id of the conversation"),
    status: z.enum(['active', 'compact_pending', 'archived']),
    launchCommand: z.string().nullable().describe('null: no process was ever started for it'),
    teamSnapshot: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("The team's configuration at that time; of env only the names"),
    terminalCommand: z.string().nullable().describe('A shell command; null: its team has been removed'),
    isolation: IsolationView.nullable().describe('As it is now; null: its team has been removed'),
    process: z.object({
      state: ProcessStateView,
      pid: z.number().int().optional(),
      resumed: z.boolean().optional().describe('It was started to continue the conversation'),
      toolsRunning: z.array(z.string()).optional(),
      lastWords: z.string().optional().describe('The end of its stderr output'),
    }),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
