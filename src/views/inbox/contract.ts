import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { PlaceCursor } from '../../base/operation/place-cursor.ts'
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
    'Lists conversations by need: waiting for you, failed, open elsewhere, working, then the rest by their last message. Each has its last message and answer.',
  access: 'program',
  isTool: false,
  input: z.object({
    limit: z.number().int().min(1).max(200).optional().describe('Default 30'),
    cursor: z
      .string()
      .regex(/^\d+:\d+$/)
      .optional()
      .describe('nextCursor of the previous page'),
  }),
  output: z.object({
    sessions: z.array(SwitchboardSession),
    nextCursor: z.string().optional().describe('There are more'),
    needs: Needs,
    broken: z
      .array(Broken)
      .describe('Directories, machines, accounts, channels and configuration that currently do not work'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

/** The lists of the inbox. Expired items are in the inbox too until they are marked done. */
export const inboxPlaces = ['inbox', 'later', 'done', 'expired'] as const
export type InboxPlace = (typeof inboxPlaces)[number]

const InboxItem = z.object({
  subject: z.string().describe('The id for mark_inbox'),
  kind: ItemKind,
  state: ItemState,
  at: Timestamp.describe('When it came, or came back'),
  until: Timestamp.optional().describe('With later: when it returns to the inbox'),
  deadline: Timestamp.optional().describe('For a permission request: when it is denied if unanswered'),
  turnId: z.string().optional(),
  permissionId: z.string().optional(),
  toolName: z.string().optional(),
  message: z.string().optional().describe('The question, cut after 300 characters'),
  text: z.string().optional().describe('The answer, cut after 300 characters'),
  tries: count.optional().describe('How often the message was sent, if more than once'),
})
export type InboxItem = z.infer<typeof InboxItem>

const InboxRow = z.object({
  session: SwitchboardSession,
  tier: z.enum(['needs', 'news', 'pinned']).describe('needs: a person must act; news: an answer; pinned: neither'),
  items: z.array(InboxItem).describe('Why it is here, the most important reason first'),
  isPinned: z.boolean(),
})
export type InboxRow = z.infer<typeof InboxRow>

export const listInbox = operation({
  name: 'list_inbox',
  routes: ['GET /api/inbox/rows'],
  title: 'List the inbox',
  description:
    'Lists conversations in one place of the inbox: those that need you, then answers to you, the latest first, each with its mark.',
  access: 'owner',
  isTool: false,
  input: z.object({
    place: z.enum(inboxPlaces).optional().describe('Default inbox'),
    query: z.string().max(200).optional().describe('Only rows with these words in names, messages or answers'),
    limit: z.number().int().min(1).max(500).optional().describe('Default 100'),
    cursor: PlaceCursor.optional(),
  }),
  output: z.object({
    rows: z.array(InboxRow),
    more: count.describe('Matching rows after this page'),
    nextCursor: z.string().optional().describe('There are more'),
    places: z.object({ inbox: count, later: count, done: count, expired: count }),
    needs: Needs,
    timestamp: Timestamp,
  }),
  readOnly: true,
})
