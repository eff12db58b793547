import { z } from 'zod'
import { outcomes, Reason } from './turn.ts'
import { WaitsFor } from './waits-for.ts'

export const Timestamp = z.number().describe('Milliseconds since the epoch')

export const ProcessStateView = z.enum(['stopped', 'spawning', 'idle', 'processing', 'terminating'])

const count = z.number().int()

export const Origin = z.enum(['new', 'reset', 'fork', 'rotation', 'taken_over', 'adopted', 'rebuilt'])

export const BreakerView = z
  .object({ state: z.enum(['open', 'half_open']), cause: z.string(), retryAt: Timestamp })
  .describe('Its process failed five times within a minute and is not started again before retryAt')

export const LastTurnView = z.object({
  turnId: z.string(),
  status: z.enum(['queued', 'working', ...outcomes]),
  reason: Reason.optional(),
  detail: z.string().optional().describe('What happened, in words, and what to do'),
  message: z.string().describe('The question, cut after 300 characters'),
  text: z.string().optional().describe('The answer, or the text so far; cut after 300 characters'),
  acceptedAt: Timestamp,
  settledAt: Timestamp.optional(),
  isDismissed: z.boolean().optional().describe('A person dismissed its failure'),
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
  starts: count.optional().describe('How often its process has started since Iris started; absent: never'),
  failures: count.optional().describe('How often its process has failed since Iris started; absent: never'),
  breaker: BreakerView.optional(),
  memoryBytes: count.optional().describe('Memory of its process and everything it started; only on request'),
  contextTokens: count.optional().describe("Tokens in the model's context window"),
  contextWindow: count.optional(),
  costUsd: z.number().describe('Total of its messages and compactions'),
  heldBy: count.optional().describe('The process in which a person has it open; messages wait until it ends'),
  waitsForPermission: z.string().optional().describe('The tool that is waiting for permission'),
  waitsFor: WaitsFor.optional().describe('Why its message is waiting'),
  unreachableSince: Timestamp.optional().describe(
    'Since when its machine has been unreachable; its process keeps running there',
  ),
  transcriptMissingSince: Timestamp.optional(),
  archivedAt: Timestamp.optional(),
  archivedWhy: z.string().optional(),
})
/** A session as the switchboard shows it: its row in the store and its state in memory. */
export type SwitchboardSession = z.infer<typeof SwitchboardSession>
