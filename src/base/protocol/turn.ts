import { z } from 'zod'
import { WaitsFor } from './waits-for.ts'

/** How a turn ended. Every accepted turn ends in exactly one of these. */
export const outcomes = ['completed', 'failed', 'cancelled', 'timed_out', 'in_doubt'] as const
export type Outcome = (typeof outcomes)[number]

/** Why a turn did not complete. The field `detail` next to it explains it in words. */
const reasons = [
  'api_auth',
  'api_rate_limited',
  'api_overloaded',
  'api_error',
  'turn_error',
  'no_answer',
  'cut',
  'paused',
  'model_refusal',
  'blocked_by_hook',
  'stopped_by_hook',
  'tool_deferred',
  'process_died',
  'session_mismatch',
  'spawn_failed',
  'session_creation_failed',
  'breaker_open',
  'init_timeout',
  'queue_timeout',
  'session_held',
  'unknown_agent',
  'account_unusable',
  'unanswered',
  'host_unreachable',
  'refused',
  'hung',
  'no_progress',
  'no_tool_ran',
  'sent_on_by_hook',
  'tool_unanswered',
  'background_timeout',
  'cancelled',
  'asker_cancelled',
  'over_budget',
  'schema_unmet',
  'interrupted',
  'transcript_unreadable',
  'feature_missing',
  'internal',
] as const
export const Reason = z.enum(reasons)
export type Reason = z.infer<typeof Reason>

/** Why a caller or a budget ends a turn before its answer; `detail` explains it in words. */
export interface Cancellation {
  readonly reason: Extract<Reason, 'cancelled' | 'asker_cancelled' | 'over_budget'>
  readonly detail: string
}

/** Tokens of one turn as Claude Code reported them; cache reads and writes are not part of `inputTokens`. */
export const Usage = z.object({
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  cacheReadTokens: z.number().int(),
  cacheWriteTokens: z.number().int(),
  /** Cost of this turn by Claude Code's count, US dollars; absent if the result was lost with the process. */
  costUsd: z.number().optional(),
  /** The model's real context window, tokens; absent when the CLI did not say. */
  contextWindow: z.number().int().optional(),
  /** The model with which Claude Code began; absent when it did not say. */
  model: z.string().optional(),
})
export type Usage = z.infer<typeof Usage>

/** Changes that Iris made to a message that was just sent. */
export const Changes = z
  .array(z.string())
  .optional()
  .describe('What Iris changed in the message before delivery; absent if nothing')
/** A command that an agent left running. */
export const BackgroundCommand = z.object({
  command: z.string(),
  since: z.number().describe('When it started, milliseconds since the epoch'),
})
export type BackgroundCommand = z.infer<typeof BackgroundCommand>

export const Background = z
  .array(BackgroundCommand)
  .optional()
  .describe('Background commands that were still running when the answer was given')

/** Output that followed a turn without a new message. */
export const Report = z.object({
  turnId: z.string().describe('The message whose answer it followed'),
  kind: z
    .enum(['said', 'ended'])
    .describe('said: the agent said it, for example when a background command ended; ended: the command was ended'),
  text: z.string().describe('What the agent said, or the command that ended with its process'),
  at: z.number().describe('Milliseconds since the epoch'),
})
export type Report = z.infer<typeof Report>

/** The model that answered instead of the configured one. */
export const OtherModel = z.object({
  model: z.string().describe('The model that answered, or that took over at some point'),
  configured: z.string().describe("The conversation's model; the next message starts with it again"),
  why: z.string().optional().describe("Claude Code's reason; absent: it gives none"),
})
export type OtherModel = z.infer<typeof OtherModel>

/** A file that has changed since an answer relied on it. */
export const ChangedFile = z.object({
  path: z.string().describe('Relative to the project of the team that answered'),
  changedAt: z.number().describe('When Iris noticed, milliseconds since the epoch'),
  commit: z.string().optional().describe('The commit that changed it; absent: unknown'),
  author: z.string().optional(),
})
export type ChangedFile = z.infer<typeof ChangedFile>

/** A part of a text that is too long for its reader. Offsets and lengths are in UTF-16 code units. */
export const AnswerPart = z.object({
  from: z.number().int().describe('Where this part starts in the text'),
  next: z.number().int().optional().describe('Where the next part starts; absent: this is the last part'),
  length: z.number().int().describe('Length of the whole text'),
})
export type AnswerPart = z.infer<typeof AnswerPart>

/** A subagent of a running turn, as Claude Code reports it. */
export const Subagent = z.object({
  description: z.string(),
  state: z.enum(['working', 'ended']),
  doing: z.string().optional().describe('What it is doing now'),
  tools: z.number().int().describe('How many tools it has used'),
  tokens: z.number().int(),
  since: z.number().describe('When it began, milliseconds since the epoch'),
})
export type Subagent = z.infer<typeof Subagent>

/**
 * The result that a caller gets. With `async` and `mcp_timeout` the turn continues; every other status is its outcome.
 */
export const TurnResult = z.object({
  status: z.enum([...outcomes, 'async', 'mcp_timeout']),
  turnId: z.uuid(),
  sessionId: z.uuid().describe("Claude Code's id of the conversation"),
  from: z.string(),
  to: z.string(),
  thread: z.string(),
  response: z.string().optional().describe('The answer; only when status is completed'),
  value: z.unknown().optional().describe('The answer as a value of the responseSchema; only when status is completed'),
  partialResponse: z.string().optional().describe('The text so far, if there is no complete answer'),
  rawMessages: z.array(z.unknown()).optional().describe('Every line of the CLI for this turn; only with raw: true'),
  reason: Reason.optional(),
  detail: z.string().optional().describe('What happened, and what to do'),
  waitsForPermission: z
    .string()
    .optional()
    .describe("The tool, and its team, for which a person's permission is needed before the work continues"),
  waitsFor: WaitsFor.optional().describe('Why it is waiting, and what a person can do'),
  stuck: z
    .string()
    .optional()
    .describe('Why it seems stuck: no tool ran in its last model calls, or a tool does not answer'),
  limitedUntil: z
    .number()
    .optional()
    .describe('When it continues, after an account limit has reset; milliseconds since the epoch'),
  limitedBy: z
    .string()
    .optional()
    .describe(
      'five_hour, seven_day, login (the person must log in again) or token (its file needs a new one); five_hour:limitAt if only the share set by limitAt is used up',
    ),
  steered: z
    .array(z.object({ message: z.string(), joinedAt: z.number() }))
    .optional()
    .describe('Later messages that joined it while it ran (whenBusy: steer); its answer covers all of them'),
  changes: Changes,
  changedSince: z
    .array(ChangedFile.extend({ turnId: z.string(), message: z.string(), answeredAt: z.number() }))
    .optional()
    .describe('Files that changed since earlier answers of this conversation relied on them'),
  reports: z
    .array(Report)
    .optional()
    .describe(
      'What agents said after earlier answers, for example when a background command ended: the last 20, each cut after 4000 characters; message_status has the last 100 of its turn in full',
    ),
  kept: z
    .object({ answeredAt: z.number(), note: z.string() })
    .optional()
    .describe('An earlier answer, reused because fresh is ifChanged'),
  otherModel: OtherModel.optional().describe('A model other than the configured one answered'),
  background: Background,
  subagents: z.array(Subagent).optional().describe('While the turn runs: what its subagents are doing'),
  contextReset: z.string().optional().describe('Why the conversation had to start over'),
  delivered: z.boolean().describe('Claude Code has begun to work on it'),
  queuedMs: z.number().describe('From acceptance to the first delivery, milliseconds'),
  durationMs: z.number().describe('From acceptance to the end or to now, milliseconds'),
  usage: Usage.optional(),
})
export type TurnResult = z.infer<typeof TurnResult>

/** A progress message for a waiting caller. */
export interface TurnProgress {
  readonly turnId: string
  readonly message: string
}

/** Whether a result with this status reports the end of the turn. */
export function isEnd(status: TurnResult['status']): boolean {
  return status !== 'async' && status !== 'mcp_timeout'
}
