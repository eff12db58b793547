import { z } from 'zod'
import { Instant } from '../../../base/operation/instant.ts'
import { operation } from '../../../base/operation/operation.ts'
import { OffsetMinutes, TurnCounts } from '../../../base/operation/pair.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'
import { TokenSums } from '../../../features/conversations/contract/session-list.ts'

const count = z.number().int()

const bucketSizes = ['hour', 'day', 'week'] as const
export const maxBuckets = 1000

const Bucket = z.object({
  begin: Timestamp,
  turns: TurnCounts.describe('Messages accepted in this bucket'),
  tokens: TokenSums.describe('Used by the messages accepted in this bucket'),
  answerTimes: z
    .object({ count, p50Ms: z.number().optional(), p95Ms: z.number().optional(), p99Ms: z.number().optional() })
    .describe('From acceptance to the answer'),
  sessions: z
    .object({ begun: count, lastUsed: count, averageLifetimeMs: z.number().optional() })
    .describe('Conversations; the average lifetime (first to last use) covers those last used in this bucket'),
})

export const statsOverTime = operation({
  name: 'stats_over_time',
  routes: ['GET /api/stats/over-time'],
  title: 'Figures over time',
  description:
    'Counts for each hour, day or week of a period: messages by outcome, tokens and cached tokens, cost, answer times, conversations and their lifetime. For all teams or for one.',
  access: 'program',
  isTool: false,
  input: z.object({
    since: Instant.describe('0 means since the first conversation'),
    until: Instant.optional().describe('Default: now'),
    bucket: z
      .enum(bucketSizes)
      .optional()
      .describe(`Default: the smallest with at most 200 buckets in the span; over ${maxBuckets} buckets are refused`),
    team: z.string().optional().describe('Only conversations in which this team asks or answers'),
    offsetMinutes: OffsetMinutes.optional(),
  }),
  output: z.object({
    since: Timestamp.describe('Where the first bucket begins'),
    until: Timestamp,
    bucket: z.enum(bucketSizes),
    buckets: z.array(Bucket).describe('In order, including empty ones'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
