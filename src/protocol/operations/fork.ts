import { z } from 'zod'
import { Thread } from '../names.ts'
import { operation } from './operation.ts'
import { FromTeam } from './pair.ts'

const TerminalCommand = z.string().describe('What a person types in a shell to go on with it by hand')

export const sessionFork = operation({
  name: 'session_fork',
  routes: ['POST /api/sessions/fork'],
  title: 'Fork a conversation',
  description:
    'Makes a new conversation of this pair, in a thread of its own, that begins with the past of another one: all of it up to the last answer, or up to the answer to an earlier turn. The other one stays as it is, and what it says from then on is no part of the new one. Costs no model call. Also returns the commands with which a person goes on with either in a terminal.',
  access: 'program',
  input: z.object({
    toTeam: z.string().describe('The team that answers'),
    fromTeam: FromTeam,
    thread: Thread.optional().describe('The conversation to fork. Default "main"'),
    newThread: Thread.describe('Name of the new one; send_message with this thread speaks in it'),
    fromTurn: z.uuid().optional().describe('The turn whose answer is the last one they share. Default: the last one'),
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
      lastMessage: z.uuid().describe('The uuid of the last answer they share, in the transcripts of both'),
      terminalCommand: TerminalCommand,
    }),
    timestamp: z.number().describe('Milliseconds since the epoch'),
  }),
  readOnly: false,
})
