import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { Metadata } from '../../base/protocol/callback.ts'
import { journalTypes } from '../../base/protocol/journal.ts'
import { PermissionView } from '../../base/protocol/permission-view.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'
import { outcomes, Reason, Usage } from '../../base/protocol/turn.ts'

const Type = z.enum(journalTypes)
const Cursor = z.string().min(1).max(100)

const KeptEvent = z.object({
  cursor: z.string().describe('The place after this event'),
  type: Type.describe('Named as in the stream of events'),
  at: Timestamp,
  turnId: z.string(),
  parentTurnId: z.string().optional().describe('The turn whose agent asked'),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  sessionId: z.string().describe('The conversation'),
  outcome: z.enum(outcomes).optional().describe('Of turn-settled: how it ended'),
  reason: Reason.optional(),
  detail: z.string().optional().describe('What happened, and what to do'),
  durationMs: z.number().optional().describe('From acceptance to the end, milliseconds'),
  queuedMs: z.number().optional().describe('From acceptance to the first delivery, milliseconds'),
  usage: Usage.optional(),
  metadata: Metadata.optional().describe('What the program that asked gave to have it back'),
  permission: PermissionView.optional().describe('Of permission:…: the question as it is now'),
})
export type KeptEvent = z.infer<typeof KeptEvent>

export const listEvents = operation({
  name: 'list_events',
  routes: ['GET /api/events'],
  title: 'List what became of messages, without a gap',
  description:
    'Lists the events of messages that were asked here, the oldest first: each was accepted, each ended. Every event is in the list once, also those from before a restart, for 30 days. Read on from nextCursor. A cursor that this Iris does not know is refused with the first cursor to read from.',
  access: 'program',
  isTool: false,
  input: z.object({
    cursor: Cursor.optional().describe(
      'nextCursor or the cursor of an event; now: only what comes. Default: the oldest',
    ),
    after: Cursor.optional().describe('The same; replaced by cursor'),
    type: z
      .union([Type, z.array(Type).min(1).max(journalTypes.length)])
      .optional()
      .describe(`Only this type: ${journalTypes.join(', ')}`),
    team: z.string().optional().describe('Only events of conversations in which this team asks or answers'),
    limit: z.number().int().min(1).max(1000).optional().describe('Default 100'),
    timeout: z
      .number()
      .int()
      .min(0)
      .max(60_000)
      .optional()
      .describe('How long to wait for an event, milliseconds. Default 0: not at all'),
  }),
  output: z.object({
    events: z.array(KeptEvent),
    nextCursor: z.string().describe('Read on from here, also when there are no events'),
    isMore: z.boolean().describe('There may be more already; a page can be short or empty'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
