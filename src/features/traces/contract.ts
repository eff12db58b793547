import { z } from 'zod'
import { operation } from '../../base/operation/operation.ts'
import { TurnIdInput } from '../../base/operation/pair.ts'
import { Attachment } from '../../base/protocol/attachment.ts'
import { Thread } from '../../base/protocol/names.ts'
import { permissionStates } from '../../base/protocol/permission-view.ts'
import { Timestamp } from '../../base/protocol/session-view.ts'
import { ChangedFile, outcomes, Reason, Usage } from '../../base/protocol/turn.ts'
import { WaitsFor } from '../../base/protocol/waits-for.ts'

const count = z.number().int()

/**
 * What a turn is doing or waiting for: its queue, a process, the model, its own tools, the teams it asked, or a
 * person's answer. `interrupted`: work that was cut off when its process or Iris ended; nothing is known about it.
 */
export const spanKinds = ['queue', 'process', 'model', 'tool', 'team', 'person', 'interrupted'] as const
export type SpanKind = (typeof spanKinds)[number]

const Span = z.object({ kind: z.enum(spanKinds), from: Timestamp, to: Timestamp })
export type Span = z.infer<typeof Span>

const Times = z
  .record(z.enum(spanKinds), z.number())
  .describe('Milliseconds for each kind; they add up to the total time')
export type Times = z.infer<typeof Times>

const status = z.enum([...outcomes, 'queued', 'working'])

/** A summary of a turn: asker, team, question, time and status. */
export const TurnSummaryView = z.object({
  turnId: z.string(),
  parentTurnId: z.string().nullable().describe('The turn whose agent asked'),
  from: z.string(),
  to: z.string(),
  thread: Thread,
  sessionId: z.string(),
  message: z.string().describe('The beginning of the message'),
  status: status.describe('queued: waiting in its queue or for a process'),
  waitsForPermission: z.string().optional().describe('The tool that is waiting for permission'),
  waitsFor: WaitsFor.optional().describe('Why it is waiting'),
  waitsToBeLetIn: z.boolean().optional().describe('It waits until the person in the open session lets it in'),
  reason: Reason.nullable(),
  detail: z.string().nullable(),
  acceptedAt: Timestamp,
  settledAt: Timestamp.nullable(),
  usage: Usage.nullable(),
})
export type TurnSummaryView = z.infer<typeof TurnSummaryView>

const TracedTool = z.object({
  toolUseId: z.string(),
  name: z.string(),
  within: z.string().optional().describe('The tool use that started its subagent; absent for the agent itself'),
  input: z.string().describe('The input in short, without secrets'),
  startedAt: Timestamp,
  endedAt: Timestamp.nullable().describe('null: it is running, or its end is unknown'),
  isError: z.boolean().nullable(),
  state: z.enum(['running', 'ended', 'cut_off']).describe('cut_off: its end is unknown'),
})

const TracedPermission = z.object({
  permissionId: z.string(),
  toolUseId: z.string(),
  toolName: z.string(),
  state: z.enum(permissionStates),
  askedAt: Timestamp,
  deadline: Timestamp,
  decidedAt: Timestamp.nullable(),
  decidedBy: z.string().nullable(),
})

const TracedTurn = TurnSummaryView.extend({
  parentToolUseId: z.string().nullable().describe('The tool use with which it was asked'),
  attachments: z.array(Attachment).optional().describe('The files that came with the message'),
  hop: count.describe('1 for the first ask'),
  awaited: z.boolean().describe('The asker waited for it'),
  retryOf: z.string().optional().describe('The failed turn that it tries again'),
  retriedBy: z.string().optional().describe('The turn that tries it again'),
  firstAt: Timestamp.nullable().describe('When it reached the front of its queue; null: at its delivery, or not yet'),
  deliveredAt: Timestamp.nullable().describe('When it was first delivered to Claude Code'),
  continuedAt: z.array(Timestamp).describe('When it was delivered again to continue after an interruption'),
  startedAt: Timestamp.nullable().describe('When Claude Code began to work on it'),
  tools: z.array(TracedTool),
  permissions: z.array(TracedPermission),
  changedSince: z.array(ChangedFile).optional().describe('Files behind the answer that have changed since'),
  givenAgain: z
    .object({ times: count, lastAt: Timestamp.nullable() })
    .optional()
    .describe('How often this answer was reused for the same question, and when it was last reused'),
  spans: z.array(Span).describe('From acceptance to the end, or to now, in order and without overlap'),
  times: Times,
})
export type TracedTurn = z.infer<typeof TracedTurn>
export type TracedTool = z.infer<typeof TracedTool>

export const traceTurn = operation({
  name: 'trace_turn',
  routes: ['GET /api/turns/{turnId}/trace'],
  title: 'Trace an ask',
  description:
    'Shows a turn, the ask at the root of its tree, and everything that this ask caused: who asked whom, which tools ran, and where the time went. `steps` lists what happened to the turn itself, in order.',
  access: 'program',
  isTool: false,
  input: z.object({
    turnId: TurnIdInput.describe('Its first characters are enough'),
    limit: z.number().int().min(1).max(1000).optional().describe('Turns of the tree in one page. Default 300'),
    cursor: z.string().regex(/^\d+$/).optional().describe('nextCursor of the previous page'),
  }),
  output: z.object({
    turnId: z.string(),
    rootTurnId: z.string(),
    turns: z.array(TracedTurn).describe('In order of acceptance, the root first; each after its asker'),
    nextCursor: z.string().optional().describe('The tree has more turns'),
    toolsLeftOut: z.boolean().describe('Some tools or permission requests are left out'),
    tree: z.object({
      turns: count,
      tokens: count,
      costUsd: z.number(),
      endedAt: Timestamp.nullable().describe('null: some of it is still running'),
    }),
    times: Times.describe(
      'Times of the root, from its acceptance to its end or to now; waiting for other teams counts as what those teams did',
    ),
    link: z.string().optional().describe('The page of this trace in the viewer that insight.traceLink names'),
    steps: z.array(z.object({ at: Timestamp, text: z.string() })).describe('What happened to the turn, in order'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})

export const listTurns = operation({
  name: 'list_turns',
  routes: ['GET /api/turns'],
  title: 'List turns',
  description: 'Lists turns in pages, newest first: who asked whom, the question, and the status.',
  access: 'program',
  isTool: false,
  input: z.object({
    root: z.boolean().optional().describe('Only first asks, without those that agents made while answering'),
    team: z.string().optional().describe('Only turns in which this team asks or answers'),
    status: z
      .enum(['all', 'open', ...outcomes])
      .optional()
      .describe('Default all; open: not ended yet'),
    limit: z.number().int().min(1).max(200).optional().describe('Default 50'),
    cursor: z.string().regex(/^\d+$/).optional().describe('nextCursor of the previous page'),
  }),
  output: z.object({
    turns: z.array(TurnSummaryView),
    nextCursor: z
      .string()
      .optional()
      .describe('There may be more. A page examines at most 2000 turns, so it may have few or none that match'),
    timestamp: Timestamp,
  }),
  readOnly: true,
})
