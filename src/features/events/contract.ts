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
  cursor: z.string().describe('The cursor that continues after this event'),
  type: Type.describe('The event type, as in the event stream'),
  at: Timestamp,
  turnId: z.string(),
  parentTurnId: z.string().optional().describe('The turn whose agent asked'),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  sessionId: z.string().describe('The conversation'),
  outcome: z.enum(outcomes).optional().describe('For turn-settled: the outcome'),
  reason: Reason.optional(),
  detail: z.string().optional().describe('What happened, and what to do'),
  durationMs: z.number().optional().describe('From acceptance to the end, milliseconds'),
  queuedMs: z.number().optional().describe('From acceptance to the first delivery, milliseconds'),
  usage: Usage.optional(),
  metadata: Metadata.optional().describe('The metadata that the asking program passed'),
  permission: PermissionView.optional().describe('For permission:…: the current state of the request'),
})
export type KeptEvent = z.infer<typeof KeptEvent>

export const listEvents = operation({
  name: 'list_events',
  routes: ['GET /api/events'],
  title: 'List the events of messages, without gaps',
  description:
    'Lists the events of messages asked on this host, the oldest first, such as their acceptance and end. Every event is listed once, for 30 days, also across restarts. Continue from nextCursor. An unknown cursor is refused, with the first cursor to continue from.',
  access: 'program',
  isTool: false,
  input: z.object({
    cursor: Cursor.optional().describe(
      'nextCursor, or the cursor of an event; now: only new events. Default: the oldest event',
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
      .describe('How long to wait for an event, in milliseconds. Default 0: do not wait'),
  }),
  output: z.object({
    events: z.array(KeptEvent),
    nextCursor: z.string().describe('Where to continue, even if there were no events'),
    isMore: z.boolean().describe('There may already be more; a page can be short or empty'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
