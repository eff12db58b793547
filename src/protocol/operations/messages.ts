import { z } from 'zod'
import { Budget } from '../budget.ts'
import { Thread } from '../party.ts'
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
    'How long to wait for the answer, in ms. -1: return at once with a turnId (collect it with message_status). 0: wait until it ends. 1 to 3600000: after that long return what there is while the work goes on. Default 30000.',
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

const shared = `The team's Claude Code answers from its own project directory, in the one conversation that this pair keeps. If its process sleeps it is woken. Nothing accepted is lost: if the status is "mcp_timeout" or "async" the work goes on, collect it with message_status and the turnId. To ask several teams at once, call with timeout -1 for each and collect the answers with message_status: calls with a wait run one after the other. An ask that would wait for itself (A asks B, B asks A back) is refused.`

export const sendMessage = operation({
  name: 'send_message',
  routes: ['POST /api/teams/tell'],
  title: 'Send a message to a team',
  description: `Sends a message to another team (another project with its own Claude Code) and returns its answer. ${shared}`,
  access: 'agent',
  input: sendInput,
  output: TurnResult,
  untold,
  readOnly: false,
})

export const askMessage = operation({
  name: 'ask_message',
  routes: ['POST /api/teams/ask'],
  title: 'Ask a team a question',
  description: `Asks another team (another project with its own Claude Code) a question and returns its answer. The same as send_message. ${shared}`,
  access: 'agent',
  input: sendInput,
  output: TurnResult,
  untold,
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
      .describe('-1 (default): answer at once. 0: wait until it ends. 1 to 3600000: wait that many ms at the most.'),
    raw: z.boolean().optional().describe('Also return every line of the CLI for this turn (large)'),
  }),
  output: TurnResult.extend({ tree: Tree.optional() }),
  readOnly: true,
})
