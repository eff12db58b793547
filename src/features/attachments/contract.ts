import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { Attachment } from '../../base/protocol/attachment.ts'

export const getAttachment = operation({
  name: 'get_attachment',
  routes: ['GET /api/turns/{turnId}/attachments/{number}'],
  title: 'Get a file of a message',
  description: 'Returns one of the files that came with a message.',
  access: 'program',
  isTool: false,
  input: z.object({
    turnId: z.string(),
    number: z.coerce.number().int().min(1).describe('The number of the file within the message, from 1'),
  }),
  output: Attachment.extend({ data: z.string().describe('The content, base64') }),
  readOnly: true,
})
