import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'

export const sessionWait = operation({
  name: 'session_wait',
  routes: ['GET /api/teams/{team}/idle'],
  title: 'Wait until a team is idle',
  description:
    'Returns as soon as a team works on no message, none waits for it, and it does not work by itself, as after the end of a command in its background; whoever asked.',
  access: 'program',
  input: z.object({
    team: z.string().describe('The team to wait for'),
    timeout: z.number().int().optional().describe('Milliseconds. -1: do not wait. 0: no limit. Default 30000'),
  }),
  output: z.object({
    team: z.string(),
    status: z.enum(['idle', 'busy']).describe('busy without messages: it works by itself'),
    messages: z.number().int().describe('Messages at work or waiting'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
