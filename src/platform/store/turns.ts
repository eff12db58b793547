import type { Attachment } from '../../base/protocol/attachment.ts'
import type { Budget } from '../../base/protocol/budget.ts'
import type { Metadata } from '../../base/protocol/callback.ts'
import type { JsonSchema } from '../../base/protocol/json-schema.ts'
import type { BackgroundCommand, Cancellation, Outcome, Reason, Usage } from '../../base/protocol/turn.ts'
import { flag, json, number, Selection, Table, text } from './table.ts'

/** Turns. Times are milliseconds since the epoch; null means not yet, or never. */
export const turns = new Table('turns', {
  sequence: number(),
  id: text(),
  /** Row id of its session. */
  session: number(),
  message: text(),
  parentTurn: text<string | null>(),
  parentToolUse: text<string | null>(),
  hop: number(),
  awaited: flag(),
  /** The order of waiting turns: 1 high, 0 normal, -1 low. */
  priority: number(),
  idempotencyKey: text<string | null>(),
  state: text<'accepted' | 'dispatched' | 'settled'>(),
  acceptedAt: number(),
  /** When the turn reached the head of its queue, if that was before its delivery. */
  firstAt: number<number | null>(),
  dispatchedAt: number<number | null>(),
  startedAt: number<number | null>(),
  settledAt: number<number | null>(),
  /** Null while the turn has not ended. */
  outcome: text<Outcome | null>(),
  reason: text<Reason | null>(),
  detail: text<string | null>(),
  answer: text<string | null>(),
  partial: text<string | null>(),
  usage: json<Usage | null>(),
  /** Commands that were still running in the background when the turn ended; null if there were none. */
  background: json<readonly BackgroundCommand[] | null>(),
  contextReset: text<string | null>(),
  budget: json<Budget | null>(),
  /** The id of a budget that the turn shares with other turns. */
  sharedBudget: text<string | null>(),
  /** The schema that the answer must match; null if the answer is text. */
  responseSchema: json<JsonSchema | null>(),
  /** The accepted answer to `responseSchema`, as JSON. */
  value: text<string | null>(),
  /** The files that came with the message; null if there were none. */
  attachments: json<readonly Attachment[] | null>(),
  /** The callback in config.yaml that receives its events; null if there is none. */
  callback: text<string | null>(),
  /** The metadata to return to the asking program; null if there is none. */
  metadata: json<Metadata | null>(),
  /** Why its tree is being cancelled; null if it is not. */
  ending: json<Cancellation | null>(),
})

/** The fields a turn has from its acceptance on. */
export const givenAtAcceptance = new Selection({
  ...turns.pick('id', 'session', 'message', 'parentTurn', 'parentToolUse', 'hop', 'awaited', 'priority'),
  ...turns.pick('idempotencyKey', 'acceptedAt', 'budget', 'sharedBudget', 'responseSchema', 'attachments'),
  ...turns.pick('callback', 'metadata'),
})

/** The fields a turn gets when it ends. */
export const givenAtEnd = new Selection({
  ...turns.pick('outcome', 'reason', 'detail', 'answer', 'partial', 'usage', 'background', 'settledAt', 'contextReset'),
})

/** A view of all deliveries: the first ones, which are stored in the rows of turns, and the later ones. */
export const deliveries = new Selection({
  uuid: text(),
  turn: text(),
  /**
   * Why the message is given to Claude: for the first time, again under the same uuid, or to continue after an
   * interruption.
   */
  why: text<'first' | 'again' | 'continue'>(),
  /** Milliseconds since the epoch. */
  committedAt: number(),
})
