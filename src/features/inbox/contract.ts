import { z } from 'zod'
import { Instant } from '../../base/operation/instant.ts'
import { operation } from '../../base/operation/operation.ts'
import type { PairIds } from '../../base/protocol/event.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

/** What the owner did about it. */
const itemStates = ['new', 'opened', 'done', 'later'] as const
export const ItemState = z.enum(itemStates)
export type ItemState = z.infer<typeof ItemState>

export const markInbox = operation({
  name: 'mark_inbox',
  routes: ['POST /api/inbox/marks'],
  title: 'Mark what is in the inbox',
  description:
    'Says what the owner did about things in the inbox: opened, done, put off until a time, or new again; and pins conversations.',
  access: 'owner',
  isTool: false,
  input: z.object({
    subjects: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(500)
      .describe('As list_inbox names them; "conversation:<sessionId>" for pinned'),
    state: ItemState.optional(),
    until: Instant.optional().describe('With later: when it comes back'),
    pinned: z.boolean().optional().describe('Keeps a conversation on top of the inbox'),
  }),
  output: z.object({
    marked: z.array(z.string()),
    left: z
      .array(z.object({ subject: z.string(), why: z.string() }))
      .describe('What was not marked: a question is answered, not done; what nobody knows'),
    timestamp: Timestamp,
  }),
  readOnly: false,
})

/** The events of this feature, by their types. */
export interface InboxEvents {
  /** Something of this conversation came into the owner's inbox, came back, or was marked. */
  readonly 'inbox-changed': PairIds
}

declare module '../../base/protocol/event.ts' {
  interface EventTypes extends InboxEvents {}
}
