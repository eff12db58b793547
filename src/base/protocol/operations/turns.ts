import { z } from 'zod'
import { Background, outcomes, Reason, Usage } from '../turn.ts'
import { operation } from './operation.ts'
import { Timestamp } from './pair.ts'

const count = z.number().int()

const TurnFacts = {
  turnId: z.string(),
  parentTurnId: z.string().optional().describe('The turn whose agent asked'),
  status: z.enum(['queued', 'working', ...outcomes]),
  reason: Reason.optional(),
  detail: z.string().optional().describe('What happened, in words, and what to do'),
  contextReset: z.string().optional().describe('The conversation had to start afresh; says why'),
  usage: Usage.optional(),
  background: Background,
  acceptedAt: Timestamp,
  dispatchedAt: Timestamp.optional().describe('Given to Claude Code; before that it waited'),
  startedAt: Timestamp.optional().describe('Claude Code began to work on it'),
  settledAt: Timestamp.optional().describe('Answered, or ended otherwise'),
}

const ListedTurn = z.object({
  ...TurnFacts,
  message: z.string().describe('What was asked, cut after 4000 characters'),
  isMessageCut: z.boolean(),
  text: z.string().optional().describe('The answer, or how far it came; cut after 4000 characters'),
  isTextCut: z.boolean(),
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
    'A page of what was asked in one conversation, archived or not, and how it ended, the newest last. Turns only come to its end, so that a place in it stays the same.',
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
    around: z.string().optional().describe('The id of a turn to have in the middle'),
  }),
  output: z.object({
    sessionId: z.string(),
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    isArchived: z.boolean(),
    turns: z.array(ListedTurn),
    offset: count.describe('Turns before this page'),
    total: count.describe('Turns of the conversation, on this page or not'),
    compactions: z.array(Compaction).describe('When it was made shorter: the latest 200, the oldest first'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

const at = {
  at: Timestamp.optional(),
  within: z.string().optional().describe('For what a subagent did: the tool use that started it'),
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
    result: z.string().optional().describe('Absent while it runs, or when its process ended before it'),
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
  z.object({ ...at, kind: z.literal('continued') }).describe('Its process had ended; the work was taken up again'),
  z.object({ ...at, kind: z.literal('note'), text: z.string() }),
])

export const turnTranscript = operation({
  name: 'turn_transcript',
  routes: ['GET /api/turns/{turnId}/transcript'],
  title: 'Read all of one turn',
  description:
    "Everything of one turn in its order: what was asked, what Claude Code said and thought, its tools with input and result, times and usage. Long texts are cut unless full is true. Of a turn that runs or ended lately it is told from memory, of an older one from Claude Code's own transcript, else from conversation.json.",
  access: 'program',
  isTool: false,
  input: z.object({
    turnId: z.string(),
    full: z.boolean().optional().describe('Do not cut texts at 4000 characters, nor parts at 500; 8 MB at the most'),
  }),
  output: z.object({
    ...TurnFacts,
    sessionId: z.string(),
    from: z.string(),
    to: z.string(),
    thread: z.string(),
    message: z.string().describe('What was asked, all of it'),
    notices: z.array(z.object({ text: z.string(), leftAt: Timestamp })).describe('Word that went with it'),
    deliveries: count.describe('How often it was given to Claude Code: more than once after an interruption'),
    parts: z.array(Part),
    partsLeftOut: count.describe('Parts before these'),
    isCut: z.boolean().describe('Something is left out or cut: full=true has it'),
    source: z
      .enum(['memory', 'transcript', 'conversation', 'ledger'])
      .describe('ledger: no file knows it any more, there is only the answer'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
