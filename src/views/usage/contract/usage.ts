import { z } from 'zod'
import { Instant } from '../../../base/operation/instant.ts'
import { operation } from '../../../base/operation/operation.ts'
import { limitedByWords } from '../../../base/protocol/limit.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'

const count = z.number().int()

export const getUsage = operation({
  name: 'get_usage',
  routes: ['GET /api/usage'],
  title: 'Show the limits of accounts, and who used what',
  description: 'Returns the limits of each account as the API last reported them, and what each pair used in a period.',
  access: 'program',
  isTool: false,
  input: z.object({
    since: Instant.optional().describe('Default: 7 days ago'),
  }),
  output: z.object({
    accounts: z.array(
      z.object({
        teams: z
          .array(z.string())
          .describe('The teams that use it. A team of another host is listed by itself, only while it is over a limit'),
        seenAt: Timestamp.describe('When the API last reported something'),
        limitedUntil: Timestamp.optional().describe('Messages wait until then'),
        limitedBy: z.string().optional().describe(limitedByWords),
        windows: z.array(
          z.object({
            name: z.string().describe('five_hour, seven_day'),
            utilization: z.number().describe('0 to 1, or more'),
            resetsAt: Timestamp,
          }),
        ),
      }),
    ),
    since: Timestamp,
    pairs: z
      .array(
        z.object({
          from: z.string(),
          to: z.string(),
          messages: count,
          inputTokens: count.describe('Includes reads from the cache'),
          outputTokens: count,
          costUsd: z.number(),
        }),
      )
      .describe('The most expensive first. Running messages are included with their tokens so far, but without a cost'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
