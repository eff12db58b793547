import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { FeatureView } from '../../base/protocol/feature-view.ts'
import { Needs } from '../../base/protocol/inbox-needs.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'
import { StoreView } from '../../base/protocol/store.ts'
import { IsolationView } from '../../features/teams/contract.ts'

const count = z.number().int()
const ms = z.number().nullable().describe('Milliseconds; null if nothing was measured')

const Times = z.object({ count, p50Ms: ms, p99Ms: ms, maxMs: ms }).describe('Over the last one to two minutes')

const Space = z.object({ freeBytes: count, totalBytes: count })

const Problem = z.object({
  severity: z.enum(['error', 'warning']),
  what: z.string().describe('The problem, in one sentence'),
  remedy: z.string().describe('What to do about it'),
  since: Timestamp.optional(),
})
export type HealthProblem = z.infer<typeof Problem>

export const getHealth = operation({
  name: 'get_health',
  routes: ['GET /api/health'],
  title: "Show Iris's own health",
  description:
    'State of the daemon: problems and their remedies, memory, event loop delay, the store and its disk, the pool, conversations that are not started after failures, isolation of agents, the latest health checks.',
  access: 'program',
  isTool: false,
  input: z.object({}),
  output: z.object({
    version: z.string(),
    pid: count,
    startedAt: Timestamp,
    uptimeMs: z.number(),
    phase: z.enum(['recovering', 'serving', 'stopping']),
    notReady: z.array(z.string()).describe('Why Iris accepts no messages; empty if it accepts them'),
    problems: z.array(Problem).describe('The worst first; empty if there is no problem'),
    memory: z.object({ rssBytes: count, heapUsedBytes: count, heapTotalBytes: count }),
    eventLoopDelay: Times,
    store: StoreView.extend({
      fileBytes: count,
      walBytes: count.describe('Size of the write-ahead log'),
      indexBytes: count.describe('Size of the search index'),
      attachmentBytes: count.describe('Size of the files attached to messages'),
      commits: Times,
      disk: Space.optional().describe('Absent if unknown'),
    }),
    pool: z.object({ activeProcesses: count, maxProcesses: count }),
    healthChecks: z
      .array(
        z.object({
          at: Timestamp,
          activeProcesses: count,
          maxProcesses: count,
          ended: count.describe('Idle processes that hung and were ended'),
        }),
      )
      .describe('The latest twenty, the newest last'),
    breakers: z
      .array(
        z.object({
          from: z.string(),
          to: z.string(),
          thread: z.string(),
          state: z.enum(['open', 'half_open']),
          cause: z.string(),
          retryAt: Timestamp,
        }),
      )
      .describe('Conversations whose process failed repeatedly'),
    needs: Needs.describe('Conversations that need you, by reason'),
    isolation: z.array(z.object({ team: z.string(), ...IsolationView.shape })),
    features: z.array(FeatureView).describe('In the order in which they were opened'),
    streamReaders: count.describe('Readers of the event stream'),
    claudeProblem: z.string().optional().describe('Why Claude Code may not behave as Iris expects'),
    configProblem: z.string().optional().describe('Why the latest config.yaml is not in force'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
