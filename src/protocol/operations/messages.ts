import { z } from 'zod'
import { Budget } from '../budget.ts'
import { Thread } from '../names.ts'
import { TurnResult } from '../turn.ts'
import { operation } from './operation.ts'
import { TurnIdInput } from './pair.ts'

/** Milliseconds a caller waits: -1 returns a handle at once, 0 waits for the end, more waits that long. */
export const longestTimeoutMs = 3_600_000

const Timeout = z
  .number()
  .int()
  .optional()
  .describe(
    'Milliseconds to wait for the answer, up to 3600000; then the work goes on. -1: return at once with a turnId. 0: wait until it ends. Default 30000',
  )

const addressed = {
  toTeam: z.string().describe('The team to ask; list_teams names them'),
  message: z.string().describe('What to say. It arrives marked as coming from you'),
  fromTeam: z.string().optional().describe('Who asks; only needed when your connection does not say. Must match it'),
  thread: Thread.optional().describe('Name of a parallel conversation of this pair. Default "main"'),
  idempotencyKey: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('A repeated call with the same key is the same message, sent once'),
  budget: Budget.optional().describe(
    'The most it may use up with everything it causes. Only narrows what settings.budget, or the ask it is part of, leaves',
  ),
}

/** An agent's asks are covered by the budget of whoever asked it first; a narrower one is rare, and costs tokens to tell of. */
const untold = ['budget'] as const

const sendInput = z.object({
  ...addressed,
  timeout: Timeout,
  raw: z.boolean().optional().describe('Also return every line of the CLI for this turn (large)'),
})

export const sendMessage = operation({
  name: 'send_message',
  routes: ['POST /api/teams/tell'],
  title: 'Send a message to a team',
  description:
    'Sends a message to another team (another project with its own Claude Code) and returns its answer, given in that project\'s directory and in the one conversation that this pair keeps. A team that sleeps is woken. Nothing accepted is lost: when the status is "mcp_timeout" or "async" the work goes on, collect it with message_status and the turnId. Calls that wait run one after the other; to ask several teams at once use timeout -1. An ask that would wait for itself (A asks B, B asks A back) is refused.',
  access: 'agent',
  input: sendInput,
  output: TurnResult,
  untold,
  wantsAnswer: true,
  readOnly: false,
})

export const askMessage = operation({
  name: 'ask_message',
  routes: ['POST /api/teams/ask'],
  title: 'Ask a team a question',
  description: 'Asks another team a question and returns its answer: the same as send_message.',
  access: 'agent',
  input: sendInput,
  output: TurnResult,
  untold,
  wantsAnswer: true,
  readOnly: false,
})

export const quickMessage = operation({
  name: 'quick_message',
  routes: ['POST /api/teams/quick'],
  title: 'Send a message without waiting',
  description:
    'Hands a message to another team and returns at once with a turnId. It is queued if the team is busy, never dropped. Collect the answer with message_status.',
  access: 'agent',
  input: z.object(addressed),
  output: TurnResult,
  untold,
  readOnly: false,
})

const Figures = z.object({
  turns: z.number().optional(),
  tokens: z.number().optional(),
  cost: z.number().optional(),
  time: z.number().optional(),
})

/** Turns, tokens, US dollars, milliseconds. */
const Tree = z
  .object({ used: Figures, budget: Figures.optional(), left: Figures.optional() })
  .describe('What it used so far with everything it caused, and what is left of its budget: turns, tokens, $, ms')

export const messageStatus = operation({
  name: 'message_status',
  routes: ['GET /api/turns/{turnId}'],
  title: 'Collect or wait for an earlier message',
  description:
    'Tells how an earlier message stands, by its turnId, and returns its answer when there is one. With a timeout it waits for it. Works after a restart of Iris too.',
  access: 'agent',
  input: z.object({
    turnId: TurnIdInput.describe('As returned by send_message; its first characters are enough'),
    timeout: z
      .number()
      .int()
      .optional()
      .describe(
        '-1 (default): answer at once. 0: wait until it ends. Else: wait so many ms at the most, up to 3600000',
      ),
    raw: z.boolean().optional().describe('Also return every line of the CLI for this turn (large)'),
  }),
  output: TurnResult.extend({ tree: Tree.optional() }),
  readOnly: true,
})
