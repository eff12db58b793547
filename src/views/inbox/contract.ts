import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { Timestamp } from '../../base/operation/pair.ts'
import { SwitchboardSession } from '../switchboard/contract.ts'

const count = z.number().int()

/** How many conversations need a person, by reason; `needOf` decides. */
export const Needs = z.object({
  waiting: count.describe('An agent asks whether it may use a tool'),
  failed: count.describe('The last message failed, or the process cannot be started'),
  openElsewhere: count.describe('A person has it open in a terminal, and messages wait'),
})
export type Needs = z.infer<typeof Needs>

export const getInbox = operation({
  name: 'get_inbox',
  routes: ['GET /api/inbox'],
  title: 'Show what needs you',
  description:
    'Conversations, ordered by need: waiting for you, failed, open elsewhere, working, then the rest by their last message; each with its last message and answer.',
  access: 'program',
  isTool: false,
  input: z.object({
    limit: z.number().int().min(1).max(200).optional().describe('Default 30'),
    cursor: z
      .string()
      .regex(/^\d+:\d+$/)
      .optional()
      .describe('nextCursor of the page before'),
  }),
  output: z.object({
    sessions: z.array(SwitchboardSession),
    nextCursor: z.string().optional().describe('There are more'),
    needs: Needs,
    timestamp: Timestamp,
  }),
  readOnly: true,
})
