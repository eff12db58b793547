import { z } from 'zod'
import { operation, wholeAnswer } from '../../../base/operation/operation.ts'
import { FromTeam, TurnIdInput } from '../../../base/operation/pair.ts'
import { maxFiles, NewAttachment } from '../../../base/protocol/attachment.ts'
import { Budget } from '../../../base/protocol/budget.ts'
import { Metadata } from '../../../base/protocol/callback.ts'
import { IdempotencyKey } from '../../../base/protocol/idempotency-key.ts'
import { JsonSchema } from '../../../base/protocol/json-schema.ts'
import { Thread } from '../../../base/protocol/names.ts'
import { priorities } from '../../../base/protocol/priority.ts'
import { RoleName } from '../../../base/protocol/role-name.ts'
import { everies } from '../../../base/protocol/schedule.ts'
import { Timestamp } from '../../../base/protocol/session-view.ts'
import { AnswerPart, TurnResult } from '../../../base/protocol/turn.ts'

/** The longest time in milliseconds that a caller may ask to wait, apart from 0, which waits without limit. */
export const maxTimeoutMs = 3_600_000

const Timeout = z
  .number()
  .int()
  .optional()
  .describe(
    'Milliseconds to wait, up to 3600000; the work continues after that. -1: return a turnId at once. 0: no limit. Default 30000',
  )

const Raw = z.boolean().optional().describe('Also return every line of Claude Code (large)')

/** A value for `toTeam`: all teams except the asker's own. */
export const everyTeam = '*'

const addressed = {
  toTeam: z.union([z.string(), z.array(z.string())]).describe('The team to ask; several, or "*" for all others'),
  message: z.string().describe('Your question or task'),
  fromTeam: FromTeam,
  attachments: z.array(NewAttachment).min(1).max(maxFiles).optional().describe('Files of your project, or their data'),
  thread: Thread.optional().describe('A parallel conversation with that team. Default main'),
  role: RoleName.optional().describe('Ask with the rights of this role in config.yaml; they never exceed your own'),
  responseSchema: JsonSchema.optional().describe('JSON Schema for the answer, which is then a JSON value'),
  whenBusy: z
    .enum(['queue', 'steer', 'interrupt', 'refuse'])
    .optional()
    .describe('What to do while it works on an earlier message of yours. Default queue'),
  deliver: z
    .enum(['push', 'poll', 'live'])
    .optional()
    .describe(
      'push (default): a late answer is delivered to your session. poll: it is not. live: like push, and an open session of the team answers',
    ),
  inReplyTo: TurnIdInput.optional().describe(
    'The turnId of the message that you are answering, as your open session received it; its first characters are enough',
  ),
  at: z
    .union([z.number().nonnegative(), z.string().max(40)])
    .optional()
    .describe('When to send it: 9:00, 2026-12-01T09:00, or milliseconds since the epoch. Default: now'),
  every: z
    .enum(everies)
    .optional()
    .describe('Repeat at this interval. Without at, the first is sent after one interval'),
  timeZone: z.string().max(60).optional().describe("Time zone for at, such as Europe/Berlin. Default: the machine's"),
  priority: z
    .enum(priorities)
    .optional()
    .describe('Priority among waiting messages; at most that of the message you are working on. Default normal'),
  fresh: z
    .enum(['always', 'ifChanged'])
    .optional()
    .describe(
      'ifChanged: reuse the earlier answer to this question while nothing it relies on has changed. Default always',
    ),
  selfContained: z
    .boolean()
    .optional()
    .describe('With fresh ifChanged: the answer depends only on the project, not on earlier messages or the date'),
  onChange: z
    .enum(['next', 'atOnce'])
    .optional()
    .describe(
      'atOnce: for a week, tell you at once when a file behind the answer changes. Default next: with your next answer',
    ),
  patience: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      'Milliseconds that you will wait in all, over later calls. If an account limit lasts longer, the message is refused',
    ),
  idempotencyKey: IdempotencyKey.optional().describe('Calls with the same key send the message only once'),
  callback: z
    .string()
    .max(40)
    .optional()
    .describe('Name of a callback in config.yaml that receives the events of the message. Not for agents'),
  metadata: Metadata.optional().describe('An object of at most 2 KiB, returned with each event of the message'),
  budget: Budget.optional().describe(
    'The most that it may use, including everything it causes. Can only lower the budget already in force',
  ),
}

const outcomeOfMany = TurnResult.shape.status.options

/** Fields of a message that is sent later. */
const scheduledFields = {
  scheduleId: z.string().optional().describe('To cancel, pass it to session_cancel as turnId'),
  nextAt: Timestamp.optional(),
}

/** With several teams, `status` summarizes all of them, and `results` has one result for each team. */
const SendResult = TurnResult.partial().extend({
  status: z.enum([...outcomeOfMany, 'mixed', 'scheduled']),
  ...scheduledFields,
  results: z
    .array(
      TurnResult.partial().extend({
        status: z.enum([...outcomeOfMany, 'refused', 'scheduled']),
        ...scheduledFields,
        from: z.string(),
        to: z.string(),
        thread: z.string(),
        error: z.object({ code: z.string(), message: z.string(), remedy: z.string() }).optional(),
      }),
    )
    .optional()
    .describe('With several teams: the result for each; refused: the team got no message'),
})

/** Rarely used fields. They are not listed for agents, to save tokens. */
const rareAsks = ['priority', 'at', 'every', 'timeZone', 'inReplyTo', 'fresh', 'selfContained', 'onChange']
/** For programs over HTTP. */
const ofPrograms = ['patience', 'callback', 'metadata']
/** Fields that the short forms of send_message do not list. */
const unlistedShort = [
  'attachments',
  'budget',
  'idempotencyKey',
  'responseSchema',
  'whenBusy',
  'deliver',
  'role',
  ...ofPrograms,
  ...rareAsks,
]

const sendInput = z.object({
  ...addressed,
  timeout: Timeout,
  raw: Raw,
})

export const sendMessage = operation({
  name: 'send_message',
  routes: ['POST /api/teams/tell'],
  title: 'Send a message to a team',
  description:
    'Asks another team, a project with its own Claude Code, and returns its answer. You share one continuing conversation. With status "mcp_timeout" or "async" the work continues: collect the answer with message_status. An ask that waits for itself (A asks B, B asks A) is refused.',
  access: 'agent',
  input: sendInput,
  output: SendResult,
  unlisted: ofPrograms,
  unlistedForAgents: ['raw', 'deliver', 'role', ...rareAsks],
  answer: wholeAnswer,
  wantsAnswer: true,
  readOnly: false,
})
export type SendInput = z.output<typeof sendMessage.input>

export const askMessage = operation({
  name: 'ask_message',
  routes: ['POST /api/teams/ask'],
  title: 'Ask a team a question',
  description: 'The same as send_message.',
  access: 'agent',
  input: sendInput,
  output: SendResult,
  unlisted: ['raw', ...unlistedShort],
  fieldsOf: 'send_message',
  answer: wholeAnswer,
  wantsAnswer: true,
  readOnly: false,
})

export const quickMessage = operation({
  name: 'quick_message',
  routes: ['POST /api/teams/quick'],
  title: 'Send a message without waiting',
  description: 'send_message with timeout -1: returns a turnId at once. Collect the answer with message_status.',
  access: 'agent',
  input: z.object(addressed),
  output: SendResult,
  unlisted: unlistedShort,
  fieldsOf: 'send_message',
  answer: wholeAnswer,
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
  .object({
    used: Figures,
    budget: Figures.optional(),
    left: Figures.optional(),
    shared: z
      .object({ used: Figures, budget: Figures, left: Figures })
      .optional()
      .describe('The budget of all messages of one call, and what they used together'),
  })
  .describe(
    'What it has used so far, including everything it caused, and what remains of its budget: turns, tokens, $, ms',
  )

export const messageStatus = operation({
  name: 'message_status',
  routes: ['GET /api/turns/{turnId}'],
  title: 'Collect or wait for an earlier message',
  description: 'Returns the status of an earlier message, and its answer when there is one.',
  access: 'agent',
  input: z.object({
    turnId: TurnIdInput.describe('Its first characters are enough'),
    timeout: z
      .number()
      .int()
      .optional()
      .describe('Milliseconds to wait for the answer. -1 (default): do not wait. 0: no limit'),
    from: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe(
        'For a long answer: return only the part that starts at this character. 0: the first part; part.next: the next one',
      ),
    raw: Raw,
    everything: z.boolean().optional().describe('Also return everything the agent said before and between tool uses'),
    fromTeam: FromTeam.describe('Your team. If it asked, the result lists changed files'),
  }),
  output: TurnResult.extend({
    tree: Tree.optional(),
    part: AnswerPart.optional().describe('With from: which part of the text is in response or partialResponse'),
    unread: z.boolean().optional().describe('The asking session has not read it'),
    attachments: z.array(z.string()).optional().describe('Names of the attached files'),
    everything: z.string().optional().describe('Everything the agent said; only with everything: true'),
  }),
  // Claude Code saves a long answer to a file, which its agent reads.
  unlistedForAgents: ['raw', 'fromTeam', 'from', 'everything'],
  answer: wholeAnswer,
  readOnly: true,
})

export const returnValue = operation({
  name: 'return_value',
  routes: [],
  title: 'Return the value that a message asks for',
  description: 'Returns the JSON value that a message asks you for. Only for such messages.',
  access: 'agent',
  onlyAgents: true,
  input: z.object({ value: z.unknown().describe('Any JSON') }),
  output: z.object({ taken: z.boolean() }),
  readOnly: false,
})
