import type { DatabaseSync } from 'node:sqlite'
import type { Budget } from '../../base/protocol/budget.ts'
import type { BackgroundCommand, Cancellation, Outcome, Reason, Usage } from '../../base/protocol/turn.ts'
import { transaction } from './database.ts'
import { firstSince } from './first-since.ts'
import { OpenAgents } from './open-agents.ts'
import type { Store } from './store.ts'
import { type ToolEnd, ToolStarts } from './tool-starts.ts'

export interface TurnRow {
  readonly sequence: number
  readonly id: string
  /** Row id of its session. */
  readonly session: number
  readonly message: string
  readonly parentTurn: string | null
  readonly parentToolUse: string | null
  readonly hop: number
  readonly awaited: boolean
  readonly idempotencyKey: string | null
  readonly state: 'accepted' | 'dispatched' | 'settled'
  readonly acceptedAt: number
  /** When it came first in its queue, if that was not the moment of its delivery. */
  readonly firstAt: number | null
  readonly dispatchedAt: number | null
  readonly startedAt: number | null
  readonly settledAt: number | null
  readonly outcome: Outcome | null
  readonly reason: Reason | null
  readonly detail: string | null
  readonly answer: string | null
  readonly partial: string | null
  readonly usage: Usage | null
  /** Commands that still ran in the background as it ended; null: none. */
  readonly background: readonly BackgroundCommand[] | null
  readonly contextReset: string | null
  readonly budget: Budget | null
  /** It was being ended with its tree. */
  readonly ending: Cancellation | null
}

export type NewTurn = Pick<
  TurnRow,
  | 'id'
  | 'session'
  | 'message'
  | 'parentTurn'
  | 'parentToolUse'
  | 'hop'
  | 'awaited'
  | 'idempotencyKey'
  | 'acceptedAt'
  | 'budget'
>

type Dispatched = Pick<TurnRow, 'id' | 'session'> & Partial<Pick<TurnRow, 'firstAt'>>

/** How a turn ended, as it is committed. */
export type Settlement = Pick<
  TurnRow,
  'outcome' | 'reason' | 'detail' | 'answer' | 'partial' | 'usage' | 'background'
> & {
  readonly outcome: Outcome
  readonly firstAt: number | null
  readonly startedAt: number | null
  readonly settledAt: number
  readonly contextReset: string | null
  /** The delivery that was answered, when there is an answer in the conversation. */
  readonly answeredDelivery: string | null
  /** Claude certainly never saw it, so that the word left for the pair waits for another turn. */
  readonly neverBegan: boolean
  /** What the conversation takes of the model's window, tokens; null leaves what was known. */
  readonly contextTokens: number | null
  readonly contextWindow: number | null
  /** Of its tools, as far as they were seen. */
  readonly toolEnds: readonly ToolEnd[]
}

/** Why a message is given to Claude: the first time, again under the same uuid, or to go on after an interruption. */
export type DeliveryReason = 'first' | 'again' | 'continue'

export interface DeliveryRow {
  readonly uuid: string
  readonly turn: string
  readonly why: DeliveryReason
  readonly committedAt: number
}

export const turnColumns = `sequence, id, session, message, parent_turn AS parentTurn, parent_tool_use AS parentToolUse, hop, awaited,
  idempotency_key AS idempotencyKey, state, accepted_at AS acceptedAt, first_at AS firstAt, dispatched_at AS dispatchedAt,
  started_at AS startedAt, settled_at AS settledAt, outcome, reason, detail, answer, partial, usage,
  context_reset AS contextReset, budget, ending, background`

type Raw = Record<string, unknown>

export function toTurn(raw: Raw): TurnRow {
  const [usage, budget, ending, background] = ['usage', 'budget', 'ending', 'background'].map((column) =>
    parsed(raw[column]),
  )
  return {
    ...(raw as Omit<TurnRow, 'usage' | 'budget' | 'ending' | 'background'>),
    awaited: raw['awaited'] === 1,
    usage,
    budget,
    ending,
    background,
  }
}

function parsed(json: unknown) {
  return json === null ? null : JSON.parse(json as string)
}

/**
 * The ledger: turns, what was delivered for them, and which tools they started. Each method is one durable commit;
 * `atomically` makes several into one.
 */
export class Ledger {
  readonly toolStarts: ToolStarts
  readonly openAgents: OpenAgents
  readonly #database: Store
  readonly #statements

  constructor(database: Store) {
    this.toolStarts = new ToolStarts(database)
    this.openAgents = new OpenAgents(database)
    this.#database = database
    this.#statements = prepare(database)
  }

  atomically<T>(work: () => T): T {
    return this.#database.isTransaction ? work() : transaction(this.#database, work)
  }

  /** As `atomically`, without waiting for the disk: see `Store.withoutSync`. */
  written<T>(work: () => T): T {
    return this.#database.withoutSync(() => transaction(this.#database, work))
  }

  /** See `Store.durable`. */
  durable(): Promise<void> | undefined {
    return this.#database.durable()
  }

  /** From here on the turn survives anything. Returns its place in the order of all turns. */
  accept(turn: NewTurn): number {
    const { id, session, message, parentTurn, parentToolUse, hop, idempotencyKey, acceptedAt } = turn
    const [awaited, budget] = [turn.awaited ? 1 : 0, turn.budget && JSON.stringify(turn.budget)]
    const { lastInsertRowid } = this.#statements.accept.run(
      ...[id, session, message, parentTurn, parentToolUse, hop, awaited, idempotencyKey, acceptedAt, budget],
    )
    return Number(lastInsertRowid)
  }

  /**
   * Before the message is written: this uuid is about to be given to Claude. The first delivery goes under the turn's own
   * id and is noted in its row, so that a warm turn touches few pages; a resend keeps its uuid. The word left for the
   * pair until then goes with the first delivery, and with that turn only.
   */
  dispatch(turn: Dispatched, uuid: string, why: DeliveryReason, at: number): void {
    this.atomically(() => {
      if (why === 'continue') this.#statements.deliverLater.run(turn.id, uuid, at)
      this.#statements.dispatched.run(at, turn.firstAt ?? null, turn.id)
      this.#statements.sessionBusy.run(turn.id, at, turn.session)
      if (why === 'first') this.#statements.takeNotices.run(turn.id, turn.session, at)
    })
  }

  /**
   * What has not ended moves to another session, because its own goes no further; the oldest turn bears the reason, if
   * there is one to tell. `except` stays where it is: it ends there.
   */
  moveTurns(fromSession: number, toSession: number, why: string | null, except: string | null = null): void {
    this.#statements.move.run(toSession, why, fromSession, except)
  }

  settle(turn: Pick<TurnRow, 'id' | 'session'>, end: Settlement): void {
    const usage = end.usage === null ? null : JSON.stringify(end.usage)
    this.atomically(() => {
      const { changes } = this.#statements.settle.run(
        end.outcome,
        end.reason,
        end.detail,
        end.answer,
        end.partial,
        usage,
        end.background === null ? null : JSON.stringify(end.background),
        end.firstAt,
        end.startedAt,
        end.settledAt,
        end.contextReset,
        turn.id,
      )
      if (changes === 0) throw new Error(`turn ${turn.id} settled twice`)
      this.#statements.sessionIdle.run(
        end.outcome === 'completed' ? 1 : 0,
        end.settledAt,
        end.answeredDelivery,
        turn.id,
        turn.session,
        end.contextTokens,
        end.contextWindow,
        end.usage?.costUsd ?? 0,
      )
      this.toolStarts.end(turn.id, end.toolEnds)
      this.openAgents.closeAll(turn.id)
      if (end.neverBegan) this.#statements.detachNotices.run(turn.id)
    })
  }

  turn(id: string): TurnRow | undefined {
    const raw = this.#statements.byId.get(id)
    return raw && toTurn(raw)
  }

  turnByKey(idempotencyKey: string): TurnRow | undefined {
    const raw = this.#statements.byKey.get(idempotencyKey)
    return raw && toTurn(raw)
  }

  /** Everything that has not ended, in the order of acceptance. */
  unsettled(): TurnRow[] {
    return this.#statements.unsettled.all().map(toTurn)
  }

  /** From which place in the order of all turns on they were accepted at `at` or later. */
  firstSince(at: number): number {
    return firstSince(this.#database, at)
  }

  /** The asks an agent made in this turn, in the order it made them. */
  asksOf(turn: string): TurnRow[] {
    return this.#statements.asksOf.all(turn).map(toTurn)
  }

  /** The last answered messages of a session, the newest first. */
  exchangesOf(session: number, limit: number): { readonly message: string; readonly answer: string }[] {
    return this.#statements.exchangesOf.all(session, limit) as { message: string; answer: string }[]
  }

  deliveriesOf(turn: string): DeliveryRow[] {
    return this.#statements.deliveriesOf.all(turn) as unknown as DeliveryRow[]
  }
}

function prepare(database: DatabaseSync) {
  return {
    accept: database.prepare(
      `INSERT INTO turns (id, session, message, parent_turn, parent_tool_use, hop, awaited, idempotency_key, state, accepted_at, budget)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'accepted', ?, ?)`,
    ),
    deliverLater: database.prepare('INSERT INTO later_deliveries (turn, uuid, committed_at) VALUES (?, ?, ?)'),
    dispatched: database.prepare(
      `UPDATE turns SET state = 'dispatched', dispatched_at = COALESCE(dispatched_at, ?),
         first_at = COALESCE(first_at, ?) WHERE id = ?`,
    ),
    sessionBusy: database.prepare(
      `UPDATE team_sessions SET process_state = 'processing', current_cache_session_id = ?, last_used_at = ? WHERE id = ?`,
    ),
    takeNotices: database.prepare(
      `UPDATE notices SET turn = ?1 WHERE (to_team, from_team, thread) =
         (SELECT to_team, from_team, thread FROM team_sessions WHERE id = ?2) AND turn IS NULL AND expires_at > ?3`,
    ),
    detachNotices: database.prepare('UPDATE notices SET turn = NULL WHERE turn = ?'),
    move: database.prepare(
      `UPDATE turns SET session = ?1, context_reset = COALESCE(CASE WHEN sequence = (
         SELECT MIN(sequence) FROM turns WHERE session = ?3 AND state <> 'settled' AND id IS NOT ?4) THEN ?2 END, context_reset)
       WHERE session = ?3 AND state <> 'settled' AND id IS NOT ?4`,
    ),
    settle: database.prepare(
      `UPDATE turns SET state = 'settled', outcome = ?, reason = ?, detail = ?, answer = ?, partial = ?, usage = ?, background = ?,
         first_at = COALESCE(first_at, ?), started_at = COALESCE(started_at, ?), settled_at = ?, context_reset = ?
       WHERE id = ? AND state <> 'settled'`,
    ),
    sessionIdle: database.prepare(
      `UPDATE team_sessions SET message_count = message_count + ?1, last_response_at = ?2, cost_usd = cost_usd + ?8,
         last_answered_delivery = COALESCE(?3, last_answered_delivery),
         context_tokens = COALESCE(?6, context_tokens), context_window = COALESCE(?7, context_window),
         process_state = CASE WHEN current_cache_session_id = ?4 AND process_state = 'processing' THEN 'idle'
           ELSE process_state END,
         current_cache_session_id = CASE WHEN current_cache_session_id = ?4 THEN NULL ELSE current_cache_session_id END
       WHERE id = ?5`,
    ),
    byId: database.prepare(`SELECT ${turnColumns} FROM turns WHERE id = ?`),
    byKey: database.prepare(`SELECT ${turnColumns} FROM turns WHERE idempotency_key = ?`),
    unsettled: database.prepare(`SELECT ${turnColumns} FROM turns WHERE state <> 'settled' ORDER BY sequence`),
    asksOf: database.prepare(`SELECT ${turnColumns} FROM turns WHERE parent_turn = ? ORDER BY sequence`),
    exchangesOf: database.prepare(
      `SELECT message, answer FROM turns WHERE session = ? AND outcome = 'completed' ORDER BY sequence DESC LIMIT ?`,
    ),
    deliveriesOf: database.prepare(
      'SELECT uuid, turn, why, committed_at AS committedAt FROM deliveries WHERE turn = ? ORDER BY sequence',
    ),
  }
}
