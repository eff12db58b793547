import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { ProcessStateView, Timestamp } from '../../base/operation/pair.ts'
import { limitedByWords } from '../../base/protocol/limit.ts'
import { outcomes, Reason } from '../../base/protocol/turn.ts'
import { Origin } from '../../features/conversations/contract/session-list.ts'
import { BreakerView, LinkView } from '../../features/teams/contract.ts'

const count = z.number().int()

const LastTurnView = z.object({
  turnId: z.string(),
  status: z.enum(['queued', 'working', ...outcomes]),
  reason: Reason.optional(),
  detail: z.string().optional().describe('What happened, in words, and what to do'),
  message: z.string().describe('What was asked, cut after 300 characters'),
  text: z.string().optional().describe('The answer, or how far it came; cut after 300 characters'),
  acceptedAt: Timestamp,
  settledAt: Timestamp.optional(),
  isDismissed: z.boolean().optional().describe('A person has put its failure aside'),
})
export type LastTurnView = z.infer<typeof LastTurnView>

export const SwitchboardSession = z.object({
  sessionId: z.string(),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  status: z.enum(['active', 'compact_pending', 'archived']),
  origin: Origin,
  createdAt: Timestamp,
  lastUsedAt: Timestamp,
  lastTurn: LastTurnView.optional().describe('Its newest message'),
  lastAnswerAt: Timestamp.optional().describe('When its last message ended, with any outcome'),
  messageCount: count.describe('Answered messages'),
  queueLength: count.describe('Messages waiting behind the running one'),
  runningTurnId: z.string().optional().describe('The running message'),
  processState: ProcessStateView,
  pid: count.optional(),
  startedAt: Timestamp.optional().describe('When its process was started'),
  starts: count.optional().describe('How often its process was started since Iris started; absent: never'),
  failures: count.optional().describe('How often its process failed since Iris started; absent: never'),
  breaker: BreakerView.optional(),
  memoryBytes: count.optional().describe('Memory of its process and of all that it started; only on request'),
  contextTokens: count.optional().describe("Tokens in the model's context window"),
  contextWindow: count.optional(),
  costUsd: z.number().describe('Sum of its messages and compactions'),
  heldBy: count.optional().describe('The process in which a person has it open; messages wait until it ends'),
  waitsForPermission: z.string().optional().describe('The tool that waits for a permission'),
  unreachableSince: Timestamp.optional().describe('Its machine is unreachable since then; its process goes on there'),
  transcriptMissingSince: Timestamp.optional(),
  archivedAt: Timestamp.optional(),
  archivedWhy: z.string().optional(),
})
/** A session as the switchboard shows it: its row in the store and its state in memory. */
export type SwitchboardSession = z.infer<typeof SwitchboardSession>

export const getSwitchboard = operation({
  name: 'get_switchboard',
  routes: ['GET /api/switchboard'],
  title: 'Show the switchboard',
  description: 'Returns the teams, their conversations in detail, and who asked whom recently.',
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
      .describe('nextCursor of the previous page'),
  }),
  output: z.object({
    teams: z.array(
      z.object({
        name: z.string(),
        description: z.string().optional(),
        color: z.string().optional(),
        path: z.string().describe('Empty for a team of another Iris'),
        host: z.string().optional().describe('The machine where it is; absent when that is this one'),
        limitedUntil: Timestamp.optional().describe('Its account is over a limit: messages wait until then'),
        limitedBy: z.string().optional().describe(limitedByWords),
        link: LinkView.optional().describe('Of a team on another machine'),
        terminalCommand: z
          .string()
          .optional()
          .describe(
            'The line for a shell, completed by a session id, with which a person takes that conversation over; absent: only the other Iris knows it',
          ),
      }),
    ),
    sessions: z
      .array(SwitchboardSession)
      .describe('Last used first; the first page also has all with a process or a queue'),
    nextCursor: z.string().optional().describe('There are more'),
    traffic: z
      .array(z.object({ from: z.string(), to: z.string(), lastHour: count, lastDay: count, lastAt: Timestamp }))
      .describe('Messages from asker to team in the last hour and day'),
    pool: z.object({ activeProcesses: count, maxProcesses: count }),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
