import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { SessionInput } from '../../../base/operation/pair.ts'
import { ProcessStateView, Timestamp } from '../../../base/protocol/session-view.ts'
import { IsolationView } from '../../teams/contract.ts'

export const debugSession = operation({
  name: 'debug_session',
  routes: ['GET /api/sessions/debug'],
  title: 'See how a conversation is run',
  description:
    'Shows the command and the settings with which the latest process of a conversation was started, what is hidden from it, the process itself, and the command with which a person takes the conversation over. Secrets are left out.',
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
      .describe('The configuration of the team at that time; only the names of env'),
    terminalCommand: z.string().nullable().describe('A line for a shell; null: its team has been removed'),
    isolation: IsolationView.nullable().describe('As of now; null: its team has been removed'),
    process: z.object({
      state: ProcessStateView,
      pid: z.number().int().optional(),
      resumed: z.boolean().optional().describe('It was started to continue the conversation'),
      toolsRunning: z.array(z.string()).optional(),
      lastWords: z.string().optional().describe('The end of what it wrote to stderr'),
    }),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
