import { feature } from '../../kernel/call/feature.ts'
import { type InboxParts, inbox as needs } from './handlers.ts'
import { list } from './list.ts'

/** The inbox: what needs the owner, what is news, and what the owner has snoozed or marked done. */
export const inboxList = feature('inbox', (parts: InboxParts) => ({
  gives: {},
  handlers: {
    get_inbox: (input) => needs(input, parts),
    list_inbox: (input) => list(input, parts),
  },
}))
