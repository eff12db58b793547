import { z } from 'zod'
import { operation, pageAnswer } from '../../../base/operation/operation.ts'
import { SessionInput, TurnCounts } from '../../../base/operation/pair.ts'
import { ProcessStateView, Timestamp } from '../../../base/protocol/session-view.ts'
import { outcomes, Reason, Usage } from '../../../base/protocol/turn.ts'

const count = z.number().int()

const Entry = z.object({
  type: z.literal('tell'),
  turnId: z.string(),
  sessionId: z.string().describe('Its conversation; after a reboot, the earlier one'),
  message: z.string().describe('The question, cut after 2000 characters'),
  status: z.enum(['queued', 'working', ...outcomes]),
  waitsToBeLetIn: z.boolean().optional().describe('It waits until the person in the open session lets it in'),
  reason: Reason.optional(),
  detail: z.string().optional(),
  response: z.string().optional().describe('The answer, cut after 2000 characters; message_status returns all of it'),
  partialResponse: z.string().optional(),
  contextReset: z.string().optional(),
  usage: Usage.optional(),
  createdAt: Timestamp,
  completedAt: Timestamp.optional(),
  messageCount: count.optional().describe('Number of Claude Code lines; absent if only the ledger has the message'),
  messages: z
    .array(z.object({ timestamp: Timestamp.optional(), type: z.string(), text: z.string().optional() }))
    .optional()
    .describe('A summary of the newest 50 lines'),
})

export const sessionReport = operation({
  name: 'session_report',
  routes: ['GET /api/sessions/report'],
  title: 'Show a conversation',
  description:
    'Shows the messages of your conversation with a team and how each ended, and for the latest its text and tools.',
  access: 'agent',
  input: SessionInput.extend({
    limit: z.number().int().min(1).max(100).optional().describe('1 to 100. Default 20'),
    cursor: z.string().regex(/^\d+$/).optional().describe('nextCursor of the previous page, for older entries'),
    before: z.string().regex(/^\d+$/).optional().describe('The same; replaced by cursor'),
  }),
  output: z.object({
    team: z.string(),
    from: z.string(),
    thread: z.string(),
    hasSession: z.boolean(),
    sessionId: z.string().optional(),
    hasProcess: z.boolean(),
    processState: ProcessStateView,
    allComplete: z.boolean().describe('No message is waiting or running'),
    entries: z
      .array(Entry)
      .describe('Oldest first; the newest page also has messages waiting to be let into an open session'),
    nextCursor: z.string().optional().describe('There are older entries; pass this as cursor to get them'),
    before: z.string().optional().describe('The same; replaced by nextCursor'),
    stats: TurnCounts.describe('Counts all entries, not only this page'),
    timestamp: Timestamp,
  }),
  unlisted: ['toTeam', 'before'],
  answer: pageAnswer,
  readOnly: true,
})
