import { feature } from '../../kernel/call/feature.ts'
import { type InboxParts, inbox as list } from './handlers.ts'

/** What needs the owner: questions, failures, conversations that wait. */
export const inbox = feature('inbox', (parts: InboxParts) => ({
  gives: {},
  handlers: { get_inbox: (input) => list(input, parts) },
}))
