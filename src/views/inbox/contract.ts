import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { Broken } from '../../base/protocol/broken.ts'
import { ItemKind, Needs } from '../../base/protocol/inbox-needs.ts'
import { SwitchboardSession, Timestamp } from '../../base/protocol/session-view.ts'
import { ItemState } from '../../features/inbox/contract.ts'

const count = z.number().int()

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
    broken: z.array(Broken).describe('Machines, accounts, channels and a configuration that do not work now'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

/** The lists of the inbox. What ran out is in the inbox too, as long as it is not done. */
export const inboxPlaces = ['inbox', 'later', 'done', 'expired'] as const
export type InboxPlace = (typeof inboxPlaces)[number]

const InboxItem = z.object({
  subject: z.string().describe('Its name for mark_inbox'),
  kind: ItemKind,
  state: ItemState,
  at: Timestamp.describe('When it came, or came back'),
  until: Timestamp.optional().describe('With later: when it comes back'),
  deadline: Timestamp.optional().describe('Of a question: unanswered by then it is denied'),
  turnId: z.string().optional(),
  permissionId: z.string().optional(),
  toolName: z.string().optional(),
  message: z.string().optional().describe('What was asked, cut after 300 characters'),
  text: z.string().optional().describe('The answer, cut after 300 characters'),
  tries: count.optional().describe('How often the message was sent, where that is more than once'),
})
export type InboxItem = z.infer<typeof InboxItem>

const InboxRow = z.object({
  session: SwitchboardSession,
  tier: z.enum(['needs', 'news', 'pinned']).describe('needs: somebody must act; news: an answer; pinned: neither'),
  items: z.array(InboxItem).describe('Why it is here, what matters most first'),
  isPinned: z.boolean(),
})
export type InboxRow = z.infer<typeof InboxRow>

export const listInbox = operation({
  name: 'list_inbox',
  routes: ['GET /api/inbox/rows'],
  title: 'List the inbox',
  description:
    'Conversations in one place of the inbox: what needs you first, then answers to you, the latest first; with what the owner did about each.',
  access: 'owner',
  isTool: false,
  input: z.object({
    place: z.enum(inboxPlaces).optional().describe('Default inbox'),
    query: z.string().max(200).optional().describe('Only rows with these words in names, messages or answers'),
    limit: z.number().int().min(1).max(500).optional().describe('Default 100'),
  }),
  output: z.object({
    rows: z.array(InboxRow),
    more: count.describe('Rows that fit and are not in this list'),
    places: z.object({ inbox: count, later: count, done: count, expired: count }),
    needs: Needs,
    timestamp: Timestamp,
  }),
  readOnly: true,
})
