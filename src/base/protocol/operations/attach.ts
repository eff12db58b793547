import { z } from 'zod'
import { operation } from './operation.ts'
import { SessionInput, Timestamp } from './pair.ts'

export const sessionAttach = operation({
  name: 'session_attach',
  routes: ['POST /api/sessions/attach'],
  title: 'Take a conversation over in a terminal',
  description:
    'Says how a person goes on with a conversation in a Claude Code of their own, and ends the idle process of Iris that has it. Messages wait as long as they have it open. Changes nothing where a message is being worked on: it is named, and had better end first.',
  access: 'owner',
  isTool: false,
  input: SessionInput,
  output: z.object({
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    sessionId: z.string(),
    directory: z.string().describe('Where to start it: Claude Code knows the conversation only there'),
    command: z.array(z.string()).describe('What to start, word by word, for no shell'),
    env: z.record(z.string(), z.string()).describe('Set besides what the person has'),
    terminalCommand: z.string().describe('The same as typed in a shell'),
    runningTurnId: z.string().optional().describe('The message that is being worked on'),
    timestamp: Timestamp,
  }),
  readOnly: false,
})
