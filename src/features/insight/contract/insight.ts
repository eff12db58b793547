import { z } from 'zod'
import { Instant } from '../../../base/operation/instant.ts'
import { operation } from '../../../base/operation/operation.ts'
import { OffsetMinutes } from '../../../base/operation/pair.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'
import { ChangedFile } from '../../../base/protocol/turn.ts'

const count = z.number().int()
const ms = z.number().describe('Milliseconds')
const Turns = z.array(z.string()).describe('Ids of turns that show the pattern, at most five')
const Pair = { from: z.string(), to: z.string() }

export const findPatterns = operation({
  name: 'find_patterns',
  routes: ['GET /api/insight/patterns'],
  title: 'Find recurring patterns',
  description:
    'Reports patterns in the messages of a period: questions asked repeatedly, chains (A asks B, then B asks C), pairs that fail, busy hours, slow tools, permission requests that were always allowed. Each pattern names turns that show it. Calls no model.',
  access: 'program',
  isTool: false,
  input: z.object({
    since: Instant.optional().describe('Default: 30 days ago'),
    until: Instant.optional().describe('Default: now'),
    team: z.string().optional().describe('Only conversations in which this team asks or answers'),
    offsetMinutes: OffsetMinutes.optional(),
  }),
  output: z.object({
    since: Timestamp,
    until: Timestamp,
    read: z.object({ asks: count, tools: count, questions: count }).describe('Rows read, at most 200000 of each'),
    repeated: z
      .array(
        z.object({
          to: z.string(),
          askers: z.array(z.string()),
          times: count,
          message: z.string().describe('The first wording, cut after 200 characters'),
          firstAt: Timestamp,
          lastAt: Timestamp,
          turns: Turns,
        }),
      )
      .describe('Questions that a team was asked at least three times'),
    chains: z
      .array(
        z.object({
          ...Pair,
          next: z.string(),
          times: count.describe('The asks between this pair after which the answering team asked the third team'),
          asks: count.describe('All asks between this pair'),
          turns: Turns,
        }),
      )
      .describe('Pairs after whose asks the answering team usually asks a third team'),
    failing: z
      .array(
        z.object({
          ...Pair,
          failed: count,
          ended: count.describe('Messages that ended, excluding cancelled ones'),
          reason: z.string().nullable().describe('The most frequent reason'),
          turns: Turns,
        }),
      )
      .describe('Pairs in which, with 95 % confidence, a fifth or more of the messages fail'),
    peaks: z
      .array(
        z.object({
          begin: count.describe('The first hour, 0 to 23'),
          end: count.describe('The hour after the last one, 1 to 24'),
          asks: count,
          factor: z.number().describe('Messages per hour, as a multiple of the mean'),
        }),
      )
      .describe('Hours of the day with at least twice as many messages as the mean'),
    slowTools: z
      .array(
        z.object({
          team: z.string(),
          tool: z.string().describe('The name of the tool; for a command also its first words, such as Bash npm test'),
          times: count,
          p50Ms: ms,
          p95Ms: ms,
          totalMs: ms,
          turns: Turns,
        }),
      )
      .describe('Tools that take 30 seconds or more in, with 95 % confidence, a tenth of their uses'),
    alwaysAllowed: z
      .array(
        z.object({
          team: z.string(),
          tool: z.string(),
          times: count,
          rule: z.string().optional().describe('A rule that Claude Code suggested each time'),
          turns: Turns,
        }),
      )
      .describe('Permission requests that were allowed at least five times and never denied'),
    isOn: z.boolean().describe('insight.patterns in config.yaml; false: nothing was analyzed'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

export const listDrift = operation({
  name: 'list_drift',
  routes: ['GET /api/insight/drift'],
  title: 'List answers whose files have changed',
  description:
    "Lists the files behind earlier answers that have changed since. A turn's files are those that its tools and commands named, or in which they found something. Calls no model.",
  access: 'program',
  isTool: false,
  input: z.object({
    team: z.string().optional().describe('Only answers that this team gave or got'),
    since: Instant.optional().describe('Only answers since this time. Default: 30 days ago'),
    limit: z.number().int().min(1).max(500).optional().describe('Default 100'),
  }),
  output: z.object({
    since: Timestamp,
    changed: z
      .array(
        ChangedFile.extend({
          ...Pair,
          thread: z.string(),
          turnId: z.string(),
          sessionId: z.string(),
          message: z.string().describe('The question, cut after 200 characters'),
          answeredAt: Timestamp,
          answers: z.number().describe('How many answers of the conversation relied on the file; turnId is the newest'),
        }),
      )
      .describe('Each file once for each conversation, the latest change first'),
    isOn: z.boolean().describe('insight.drift in config.yaml: whether the files behind answers are recorded'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
