import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { IdempotencyKey } from '../../../base/protocol/idempotency-key.ts'
import { Thread } from '../../../base/protocol/names.ts'
import { Changes } from '../../../base/protocol/turn.ts'

export const notify = operation({
  name: 'notify',
  routes: ['POST /api/teams/{toTeam}/notify'],
  title: 'Leave a notice for a team',
  description:
    'Leaves a notice for another team: information, not a task. It starts no process and gets no answer; it is delivered with your next message to that team.',
  access: 'agent',
  input: z.object({
    toTeam: z.string().describe('The team to notify'),
    message: z.string().describe('At most 16 KiB'),
    fromTeam: z.string().optional().describe('Your team. Default: the one your connection identifies'),
    thread: Thread.optional().describe('Default main'),
    ttlDays: z.number().int().min(1).max(365).optional().describe('Days until it expires unread, 1 to 365. Default 30'),
    idempotencyKey: IdempotencyKey.optional().describe('Calls with the same key leave only one notice'),
  }),
  output: z.object({
    status: z.literal('left'),
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    changes: Changes,
    pending: z.number().int().describe("Notices waiting for this pair's next message"),
    expiresAt: z.number().describe('Milliseconds since the epoch'),
    timestamp: z.number().describe('Milliseconds since the epoch'),
  }),
  unlistedForAgents: ['ttlDays'],
  readOnly: false,
})
