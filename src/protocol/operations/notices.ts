import { z } from 'zod'
import { Thread } from '../names.ts'
import { Changes } from '../turn.ts'
import { operation } from './operation.ts'

export const notify = operation({
  name: 'notify',
  routes: ['POST /api/teams/{toTeam}/notify'],
  title: 'Leave word for a team',
  description:
    'Leaves word for another team without waking it and without an answer: it is kept, and stands before the next message that you send it. For what it should know, not for what it should do. Word that no message follows expires.',
  access: 'agent',
  input: z.object({
    toTeam: z.string().describe('The team it is for; list_teams names them'),
    message: z.string().describe('What it should know, at most 16 KiB. It arrives marked as coming from you'),
    fromTeam: z
      .string()
      .optional()
      .describe('Who says it; only needed when your connection does not say. Must match it'),
    thread: Thread.optional().describe('Name of a parallel conversation of this pair. Default "main"'),
    ttlDays: z.number().int().min(1).max(365).optional().describe('Days until it expires, 1 to 365. Default 30'),
    idempotencyKey: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('A repeated call with the same key is the same word, left once'),
  }),
  output: z.object({
    status: z.literal('left'),
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    changes: Changes,
    pending: z.number().int().describe('How much word waits for the next message of this pair'),
    expiresAt: z.number().describe('Milliseconds since the epoch'),
    timestamp: z.number().describe('Milliseconds since the epoch'),
  }),
  readOnly: false,
})
