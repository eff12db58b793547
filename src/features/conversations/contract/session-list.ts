import { z } from 'zod'
import { Instant } from '../../../base/operation/instant.ts'
import { operation, pageAnswer } from '../../../base/operation/operation.ts'
import { TurnCounts } from '../../../base/operation/pair.ts'
import { Origin, ProcessStateView, Timestamp } from '../../../base/protocol/session-view.ts'
import { WaitsFor } from '../../../base/protocol/waits-for.ts'

const count = z.number().int()
const figure = z.number().optional()

const which = {
  from: z.string().optional().describe('The team that asks, or external'),
  to: z.string().optional().describe('The team that answers'),
  thread: z.string().optional().describe('This thread'),
}

const ListedSession = z.object({
  sessionId: z.string(),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  status: z.enum(['active', 'compact_pending', 'archived']),
  origin: Origin.describe('How it was created'),
  originSession: z.string().optional().describe('The conversation it was made from'),
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  messageCount: count.describe('Answered messages'),
  processState: ProcessStateView,
  queueLength: count.describe('Messages waiting behind the running one'),
  unreachableSince: Timestamp.optional().describe(
    'Since when its machine has been unreachable; its process keeps running there',
  ),
  waitsForPermission: z.string().optional().describe('The tool that is waiting for permission'),
  waitsFor: WaitsFor.optional().describe('Why its message is waiting'),
  contextTokens: count.optional().describe("Tokens in the model's context window"),
  contextWindow: count.optional(),
  transcriptMissingSince: Timestamp.optional(),
  archivedAt: Timestamp.optional(),
  archivedWhy: z.string().optional(),
})

export const listSessions = operation({
  name: 'list_sessions',
  routes: ['GET /api/sessions'],
  title: 'List conversations',
  description: 'Lists conversations, the last used first. Agents see those of their team.',
  access: 'agent',
  input: z.object({
    ...which,
    status: z.enum(['live', 'archived', 'all']).optional().describe('Default live'),
    awake: z.boolean().optional().describe('With a running process'),
    origin: Origin.optional().describe('How it was created'),
    since: Instant.optional().describe('Last used since then'),
    query: z.string().max(200).optional().describe('Words in names, thread or id'),
    limit: z.number().int().min(1).max(200).optional().describe('Default 50'),
    cursor: z
      .string()
      .regex(/^\d+:\d+$/)
      .optional()
      .describe('nextCursor of the previous page'),
  }),
  output: z.object({
    sessions: z.array(ListedSession),
    nextCursor: z.string().optional().describe('There are more'),
    timestamp: Timestamp,
  }),
  unlistedForAgents: ['origin', 'thread', 'awake', 'since', 'query'],
  answer: pageAnswer,
  readOnly: true,
})

export const TokenSums = z
  .object({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    costUsd: z.number(),
  })
  .describe('Cache reads and writes are not part of inputTokens')

export const sessionStats = operation({
  name: 'session_stats',
  routes: ['GET /api/stats'],
  title: 'Figures about conversations',
  description:
    'Counts conversations and messages: outcomes, tokens, cost, answer times. Agents see those of their own team.',
  access: 'agent',
  input: z.object({
    team: z.string().optional().describe('The team that asks or answers'),
    ...which,
    since: Instant.optional().describe('Default: 30 days ago'),
  }),
  output: z.object({
    since: Timestamp,
    sessions: z.object({
      total: count,
      live: count,
      archived: count,
      messagesPerSession: z.object({ average: figure, most: figure }),
      tokensPerSession: z
        .object({ average: figure, most: figure })
        .describe('All tokens read and written in the period, including from the cache'),
      lifetime: z
        .object({
          averageMs: figure,
          longestMs: figure,
          steps: z
            .array(z.object({ upToMs: count.nullable().describe('null: any longer'), sessions: count }))
            .describe('How many conversations lasted how long; each step excludes the earlier ones'),
        })
        .describe('From first to last use'),
    }),
    turns: TurnCounts,
    tokens: TokenSums,
    answerTimes: z
      .object({ count, p50Ms: figure, p95Ms: figure, p99Ms: figure })
      .describe("From acceptance to the answer, excluding waits for people's permission"),
    busiestPairs: z.array(z.object({ from: z.string(), to: z.string(), thread: z.string(), turns: count })),
    fullestContexts: z
      .array(
        z.object({
          from: z.string(),
          to: z.string(),
          thread: z.string(),
          sessionId: z.string(),
          contextTokens: count,
          contextWindow: count,
          share: z.number().describe('0 to 1'),
        }),
      )
      .describe('Live conversations whose context size is known'),
    timestamp: Timestamp,
  }),
  unlistedForAgents: ['from', 'to', 'thread'],
  readOnly: true,
})
