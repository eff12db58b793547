import { z } from 'zod'
import { operation } from '../../../base/operation/operation.ts'
import { Attachment } from '../../../base/protocol/attachment.ts'
import { SwitchboardSession, Timestamp } from '../../../base/protocol/session-view.ts'
import { Background, ChangedFile, OtherModel, outcomes, Reason, Report, Usage } from '../../../base/protocol/turn.ts'
import { WaitsFor } from '../../../base/protocol/waits-for.ts'

const count = z.number().int()

const TurnFacts = {
  turnId: z.string(),
  parentTurnId: z.string().optional().describe('The turn whose agent asked'),
  retryOf: z.string().optional().describe('The turn that it tries again'),
  retriedBy: z.string().optional().describe('The turn that tries it again'),
  status: z.enum(['queued', 'working', ...outcomes]),
  reason: Reason.optional(),
  detail: z.string().optional().describe('What happened, and what to do'),
  contextReset: z.string().optional().describe('Why the conversation had to start over'),
  attachments: z.array(Attachment).optional().describe('The files that came with the message'),
  usage: Usage.optional(),
  background: Background,
  value: z.string().optional().describe('The answer as JSON if it is a value; turn lists cut it after 4000 characters'),
  acceptedAt: Timestamp,
  dispatchedAt: Timestamp.optional().describe('When it was delivered to Claude Code, after waiting'),
  startedAt: Timestamp.optional().describe('When Claude Code began to work on it'),
  settledAt: Timestamp.optional().describe('When it was answered, or ended in another way'),
}

const ListedTurn = z.object({
  ...TurnFacts,
  message: z.string().describe('The message, cut after 4000 characters'),
  isMessageCut: z.boolean(),
  personMs: z
    .number()
    .optional()
    .describe("How long it waited for people's permission, milliseconds; absent: it did not wait"),
  waitsFor: WaitsFor.optional().describe('Why it is waiting'),
  response: z.string().optional().describe('The answer, cut after 4000 characters; only when status is completed'),
  text: z.string().optional().describe('The answer so far; cut after 4000 characters'),
  isTextCut: z.boolean(),
  changedSince: z.array(ChangedFile).optional().describe('Files behind the answer that have changed since'),
  otherModel: OtherModel.optional(),
  stuck: z.string().optional().describe('Why it seems to make no progress'),
  reports: z
    .array(Report)
    .optional()
    .describe('What the agent said after its answer; each text cut after 4000 characters'),
})

const Compaction = z.object({
  at: Timestamp,
  beforeTokens: count.optional(),
  afterTokens: count.optional(),
  failure: z.string().optional(),
})

export const sessionTurns = operation({
  name: 'session_turns',
  routes: ['GET /api/sessions/{sessionId}/turns'],
  title: 'List the turns of a conversation',
  description:
    'Lists the turns of one conversation, archived or not, in pages, the newest last. New turns are added at the end, so an offset stays valid.',
  access: 'program',
  isTool: false,
  input: z.object({
    sessionId: z.string(),
    limit: z.number().int().min(1).max(200).optional().describe('Default 50'),
    offset: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('How many turns are before the page. Default: the newest page'),
    around: z.string().optional().describe('The id of a turn to show in the middle'),
    cursor: z.string().regex(/^\d+$/).optional().describe('nextCursor of the previous page'),
  }),
  output: z.object({
    sessionId: z.string(),
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    isArchived: z.boolean(),
    session: SwitchboardSession.describe('Its current state'),
    terminalCommand: z
      .string()
      .optional()
      .describe('The command to take it over in a terminal; absent: its team was removed'),
    turns: z.array(ListedTurn),
    offset: count.describe('Turns before this page'),
    nextCursor: z.string().optional().describe('There are older turns; pass this as cursor to get them'),
    total: count.describe('All turns of the conversation'),
    compactions: z.array(Compaction).describe('When it was compacted: the latest 200 times, oldest first'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

const at = {
  at: Timestamp.optional(),
  within: z.string().optional().describe("For a subagent's parts: the tool use that started it"),
}

const Part = z.discriminatedUnion('kind', [
  z.object({
    ...at,
    kind: z.literal('text'),
    text: z.string(),
    cutCharacters: count.optional(),
    isUnfinished: z.boolean().optional().describe('Being written'),
  }),
  z.object({
    ...at,
    kind: z.literal('thinking'),
    text: z.string(),
    cutCharacters: count.optional(),
    isUnfinished: z.boolean().optional().describe('Being thought'),
  }),
  z.object({
    ...at,
    kind: z.literal('tool'),
    toolUseId: z.string(),
    name: z.string(),
    input: z.string().describe('JSON'),
    inputCutCharacters: count.optional(),
    result: z.string().optional().describe('Absent while it runs, or if its process ended first'),
    resultCutCharacters: count.optional(),
    isError: z.boolean().optional(),
    durationMs: z.number().optional(),
  }),
  z.object({
    ...at,
    kind: z.literal('compaction'),
    beforeTokens: count.optional(),
    afterTokens: count.optional(),
  }),
  z.object({ ...at, kind: z.literal('continued') }).describe('Its process ended and the work was continued'),
  z.object({ ...at, kind: z.literal('note'), text: z.string() }),
])

export const turnTranscript = operation({
  name: 'turn_transcript',
  routes: ['GET /api/turns/{turnId}/transcript'],
  title: 'Read one turn in full',
  description:
    "Returns one turn in order: the message, Claude Code's texts and thinking, its tools with input and result, times and usage. Long texts are cut unless full is true. Sources: memory for a running or recent turn, else Claude Code's transcript, else conversation.json.",
  access: 'program',
  isTool: false,
  input: z.object({
    turnId: z.string(),
    full: z.boolean().optional().describe('Do not limit texts to 4000 characters and parts to 500; at most 8 MB'),
  }),
  output: z.object({
    ...TurnFacts,
    sessionId: z.string(),
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    message: z.string().describe('The whole message'),
    notices: z.array(z.object({ text: z.string(), leftAt: Timestamp })).describe('Notices delivered with it'),
    deliveries: count.describe('Deliveries to Claude Code: more than one after an interruption'),
    parts: z.array(Part),
    partsLeftOut: count.describe('How many earlier parts are left out'),
    isCut: z.boolean().describe('Something was cut; full=true returns all of it'),
    source: z
      .enum(['memory', 'transcript', 'conversation', 'ledger'])
      .describe('ledger: no file has it any more, and only the answer is left'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
