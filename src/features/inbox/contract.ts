import { z } from 'zod'
import { Instant } from '../../base/operation/instant.ts'
import { operation } from '../../base/operation/operation.ts'
import type { PairIds } from '../../base/protocol/event.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

/** What the owner did with an item. */
const itemStates = ['new', 'opened', 'done', 'later'] as const
export const ItemState = z.enum(itemStates)
export type ItemState = z.infer<typeof ItemState>

export const markInbox = operation({
  name: 'mark_inbox',
  routes: ['POST /api/inbox/marks'],
  title: 'Mark inbox items',
  description: 'Marks inbox items as opened, done, snoozed until a time, or new again, and pins conversations.',
  access: 'owner',
  isTool: false,
  input: z.object({
    subjects: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(500)
      .describe('Ids from list_inbox; "conversation:<sessionId>" to pin'),
    state: ItemState.optional(),
    until: Instant.optional().describe('With later: when it returns to the inbox'),
    pinned: z.boolean().optional().describe('Keep a conversation at the top of the inbox'),
  }),
  output: z.object({
    marked: z.array(z.string()),
    left: z
      .array(z.object({ subject: z.string(), why: z.string() }))
      .describe('Items that were not marked: permission requests, which must be answered, and unknown items'),
    timestamp: Timestamp,
  }),
  readOnly: false,
})

/** The events of this feature, by their types. */
export interface InboxEvents {
  /** An item of this conversation entered the owner's inbox, returned to it, or was marked. */
  readonly 'inbox-changed': PairIds
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends InboxEvents {}
}
