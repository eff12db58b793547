import { z } from 'zod'

/** The most bytes of one attached file, and of all files of one message. */
export const maxOfFile = 10 * 1024 * 1024
export const maxOfMessage = 20 * 1024 * 1024
/** The most files of one message. */
export const maxFiles = 20
/**
 * The most bytes of attached files that the store keeps for all messages, and the amount from which Iris warns a
 * person.
 */
export const maxKept = 4 * 1024 * 1024 * 1024
export const manyKept = 3 * 1024 * 1024 * 1024

/** A file to attach: its path in the caller's own project, or its content. */
export const NewAttachment = z.strictObject({
  path: z.string().min(1).max(4096).optional(),
  data: z.string().optional().describe('base64'),
  name: z.string().max(1024).optional(),
})
export type NewAttachment = z.infer<typeof NewAttachment>

/** A file that came with a message. */
export const Attachment = z.object({
  name: z.string().describe('Without directories and control characters'),
  mediaType: z.string().describe('Determined by the content; the name does not count'),
  bytes: z.number().int(),
  kind: z
    .enum(['image', 'document', 'file'])
    .describe('image and document: shown to the model with the message; file: a file that it can read'),
  sha256: z.string().optional().describe('Hash of the content, in hex; absent: the content was deleted'),
})
export type Attachment = z.infer<typeof Attachment>
