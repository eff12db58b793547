import { z } from 'zod'
import { outcomes, Reason } from './turn.ts'
import { WaitsFor } from './waits-for.ts'

export const Timestamp = z.number().describe('Milliseconds since the epoch')

export const ProcessStateView = z.enum(['stopped', 'spawning', 'idle', 'processing', 'terminating'])

const count = z.number().int()

export const Origin = z.enum(['new', 'reset', 'fork', 'rotation', 'taken_over', 'adopted', 'rebuilt'])

export const BreakerView = z
  .object({ state: z.enum(['open', 'half_open']), cause: z.string(), retryAt: Timestamp })
  .describe('Its process failed five times within a minute; it is not started before retryAt')

export const LastTurnView = z.object({
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
  waitsFor: WaitsFor.optional().describe('Why its message does not go on'),
  unreachableSince: Timestamp.optional().describe('Its machine is unreachable since then; its process goes on there'),
  transcriptMissingSince: Timestamp.optional(),
  archivedAt: Timestamp.optional(),
  archivedWhy: z.string().optional(),
})
/** A session as the switchboard shows it: its row in the store and its state in memory. */
export type SwitchboardSession = z.infer<typeof SwitchboardSession>
