import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { TurnIdInput } from '../../base/operation/pair.ts'

export const promoteTurn = operation({
  name: 'promote_turn',
  routes: ['POST /api/turns/{turnId}/promote'],
  title: 'Put a message or an answer into an open session',
  description:
    'Lets a message with deliver "live" into the open session it is waiting for, or delivers an earlier message\'s answer to an open session.',
  access: 'owner',
  isTool: false,
  input: z.object({
    turnId: TurnIdInput.describe('Its first characters are enough'),
    team: z.string().optional().describe('The team whose open session gets the answer. Default: the team that gave it'),
  }),
  output: z.object({
    turnId: z.string(),
    team: z.string(),
    what: z.enum(['message', 'answer']).describe('What the open session gets'),
  }),
  readOnly: false,
})
