import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { FromTeam, TurnIdInput } from '../../../base/operation/pair.ts'
import { Thread } from '../../../base/protocol/names.ts'

const TerminalCommand = z.string().describe('A shell command with which a person continues the conversation')

export const sessionFork = operation({
  name: 'session_fork',
  routes: ['POST /api/sessions/fork'],
  title: 'Fork a conversation',
  description:
    'Copies a conversation of this pair into a new thread, up to the last answer or the answer of fromTurn. The original is unchanged. Calls no model. Also returns the commands to continue either one in a terminal.',
  access: 'program',
  input: z.object({
    toTeam: z.string().describe('The team that answers you'),
    fromTeam: FromTeam,
    thread: Thread.optional().describe('The thread to copy. Default main'),
    newThread: Thread.describe('Name of the new thread'),
    fromTurn: TurnIdInput.optional().describe('Default: the last turn. Its first characters are enough'),
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    sessionId: z.uuid().describe("Claude Code's id of the new conversation"),
    teamPath: z.string(),
    terminalCommand: TerminalCommand,
    origin: z.object({
      thread: z.string(),
      sessionId: z.uuid(),
      lastMessage: z.uuid().describe('The uuid of the last answer that both transcripts share'),
      terminalCommand: TerminalCommand,
    }),
    timestamp: z.number().describe('Milliseconds since the epoch'),
  }),
  readOnly: false,
})
