import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'

export const sessionWait = operation({
  name: 'session_wait',
  routes: ['GET /api/teams/{team}/idle'],
  title: 'Wait until a team is idle',
  description:
    'Waits until a team is idle: no message from anyone is running or waiting, and it is not working on its own, for example after a background command ends.',
  access: 'program',
  input: z.object({
    team: z.string().describe('The team to wait for'),
    timeout: z.number().int().optional().describe('Milliseconds. -1: do not wait. 0: no limit. Default 30000'),
  }),
  output: z.object({
    team: z.string(),
    status: z.enum(['idle', 'busy']).describe('busy with 0 messages: the team is working on its own'),
    messages: z.number().int().describe('Running and waiting messages'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
