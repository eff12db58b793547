import { z } from 'zod'
import { operation } from './operation.ts'
import { Timestamp } from './pair.ts'

const Hit = z.object({
  turnId: z.string(),
  sessionId: z.string().describe('The conversation in which it was said'),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  where: z.enum(['message', 'answer']),
  at: Timestamp.describe('Asked, or answered: milliseconds since the epoch'),
  snippet: z
    .array(z.object({ text: z.string(), isMatch: z.boolean() }))
    .describe('A piece of the text; what fits is marked'),
})

export const searchMessages = operation({
  name: 'search_messages',
  routes: ['GET /api/search'],
  title: 'Search all conversations',
  description:
    'Finds what was asked and answered in all conversations, archived ones too, the newest first. All words must occur; a word also finds words that begin with it, words in double quotes stand for exactly that. Case and accents do not matter, nothing else has a meaning.',
  access: 'program',
  isTool: false,
  input: z.object({
    query: z.string().max(500).describe('The words'),
    team: z.string().optional().describe('Only conversations in which this team asks or answers'),
    from: z.string().optional().describe('Only conversations in which this party asks: a team, or external'),
    to: z.string().optional().describe('Only conversations in which this team answers'),
    thread: z.string().optional().describe('Only this thread'),
    since: z.number().optional().describe('Only what was asked since then, milliseconds since the epoch'),
    limit: z.number().int().min(1).max(100).optional().describe('Default 20'),
    cursor: z
      .string()
      .regex(/^\d{1,16}$/)
      .optional()
      .describe('nextCursor of the page before'),
  }),
  output: z.object({
    hits: z.array(Hit),
    nextCursor: z.string().optional().describe('There may be more; a page can be short'),
    isIndexing: z.boolean().describe('Older texts are still being taken in: some may be missing'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
