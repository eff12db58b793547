import { feature } from '../../kernel/call/feature.ts'
import { type MessageFilesParts, messageFiles } from './attachments.ts'
import { type AttachmentsParts, attachment } from './handlers/attachments.ts'

/** Files that come with messages: kept in the store with their turn, and given to the agent with each delivery. */
export const attachments = feature('attachments', (parts: MessageFilesParts & AttachmentsParts) => ({
  gives: {},
  seams: { files: messageFiles(parts) },
  handlers: { get_attachment: (input, call) => attachment(input, call, parts) },
}))
