import { z } from 'zod'
import { operation } from './operation.ts'
import { ProcessStateView, Timestamp } from './pair.ts'
import { Origin } from './session-list.ts'
import { BreakerView } from './teams.ts'

const count = z.number().int()

export const SwitchboardSession = z.object({
  sessionId: z.string(),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  status: z.enum(['active', 'compact_pending', 'archived']),
  origin: Origin,
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  lastAnswerAt: Timestamp.optional().describe('When its last message ended, however it did'),
  messageCount: count.describe('Answered messages'),
  queueLength: count.describe('Messages waiting behind the one being worked on'),
  runningTurnId: z.string().optional().describe('The message being worked on'),
  processState: ProcessStateView,
  pid: count.optional(),
  startedAt: Timestamp.optional().describe('When its process was started'),
  starts: count.optional().describe('How often its process was started since Iris was; absent: never'),
  failures: count.optional().describe('How often its process failed since Iris was started; absent: never'),
  breaker: BreakerView.optional(),
  memoryBytes: count.optional().describe('What its process and all that it started hold; only when asked for'),
  contextTokens: count.optional().describe("What it takes of the model's window"),
  contextWindow: count.optional(),
  costUsd: z.number().describe('Of all its messages and compactions'),
  heldBy: count.optional().describe('The process in which a person has it open; messages wait'),
  waitsForPermission: z.string().optional().describe('The tool about which a person is asked'),
  transcriptMissingSince: Timestamp.optional(),
  archivedAt: Timestamp.optional(),
  archivedWhy: z.string().optional(),
})
/** A session as the switchboard shows it: its row, and what lives of it. */
export type SwitchboardSession = z.infer<typeof SwitchboardSession>

export const getSwitchboard = operation({
  name: 'get_switchboard',
  routes: ['GET /api/switchboard'],
  title: 'Show the switchboard',
  description: 'Teams, their conversations with all that is known of each, and who asked whom lately.',
  access: 'program',
  isTool: false,
  input: z.object({
    status: z.enum(['live', 'archived', 'all']).optional().describe('Default live'),
    awake: z.boolean().optional().describe('Only those with a running process'),
    memory: z.boolean().optional().describe('Measure the memory of running processes. Default false'),
    limit: z.number().int().min(1).max(5000).optional().describe('Default 1000'),
    cursor: z
      .string()
      .regex(/^\d+:\d+$/)
      .optional()
      .describe('nextCursor of the page before'),
  }),
  output: z.object({
    teams: z.array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        color: z.string().optional(),
        path: z.string(),
        terminalCommand: z
          .string()
          .describe('With the id of a session after it: what a person types to take that conversation over'),
      }),
    ),
    sessions: z
      .array(SwitchboardSession)
      .describe('The last used first; on the first page also all that have a process or a queue'),
    nextCursor: z.string().optional().describe('There are more'),
    traffic: z
      .array(z.object({ from: z.string(), to: z.string(), lastHour: count, lastDay: count, lastAt: Timestamp }))
      .describe('Messages from party to team in the last hour and day'),
    pool: z.object({ activeProcesses: count, maxProcesses: count }),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
