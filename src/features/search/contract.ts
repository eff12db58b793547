import { z } from 'zod'
import { Instant } from '../../base/operation/instant.ts'
import { operation } from '../../base/operation/operation.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'

const Hit = z.object({
  turnId: z.string(),
  sessionId: z.string().describe('The conversation with the text'),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  where: z.enum(['message', 'answer']),
  at: Timestamp.describe('When it was asked or answered; milliseconds since the epoch'),
  snippet: z
    .array(z.object({ text: z.string(), isMatch: z.boolean() }))
    .describe('A part of the text with the matches marked'),
})

export const searchMessages = operation({
  name: 'search_messages',
  routes: ['GET /api/search'],
  title: 'Search all conversations',
  description:
    'Searches the messages and answers of all conversations, archived ones too, newest first. All words must occur. A word also matches words that begin with it; words in double quotes match exactly. Case and accents are ignored; there is no other syntax.',
  access: 'program',
  isTool: false,
  input: z.object({
    query: z.string().max(500).describe('The words to find'),
    team: z.string().optional().describe('Only conversations in which this team asks or answers'),
    from: z.string().optional().describe('Only conversations of this asker: a team, or external'),
    to: z.string().optional().describe('Only conversations in which this team answers'),
    thread: z.string().optional().describe('Only this thread'),
    since: Instant.optional().describe('Only messages since then'),
    limit: z.number().int().min(1).max(100).optional().describe('Default 20'),
    cursor: z
      .string()
      .regex(/^\d{1,16}$/)
      .optional()
      .describe('nextCursor of the previous page'),
  }),
  output: z.object({
    hits: z.array(Hit),
    nextCursor: z.string().optional().describe('There may be more; a page can be short'),
    isIndexing: z.boolean().describe('The index is still being built, so some texts may be missing'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
