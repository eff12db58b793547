import type { Attachment } from '../../base/protocol/attachment.ts'
import type { Budget } from '../../base/protocol/budget.ts'
import type { JsonSchema } from '../../base/protocol/json-schema.ts'
import type { BackgroundCommand, Cancellation, Outcome, Reason, Usage } from '../../base/protocol/turn.ts'
import { Attachments } from './attachments.ts'
import { transaction } from './database.ts'
import { firstSince } from './first-since.ts'
import { prepare } from './ledger-statements.ts'
import { OpenAgents } from './open-agents.ts'
import { Reports } from './reports.ts'
import { Retries } from './retries.ts'
import { Steers } from './steers.ts'
import type { Store } from './store.ts'
import { type ToolEnd, ToolStarts } from './tool-starts.ts'
import { ValueRefusals } from './value-refusals.ts'

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
  /** The order of waiting turns: 1 high, 0 normal, -1 low. */
  readonly priority: number
  readonly idempotencyKey: string | null
  readonly state: 'accepted' | 'dispatched' | 'settled'
  readonly acceptedAt: number
  /** When it reached the head of its queue, if that was before its delivery. */
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
  /** Commands that still ran in the background when the turn ended; null: none. */
  readonly background: readonly BackgroundCommand[] | null
  readonly contextReset: string | null
  readonly budget: Budget | null
  /** The id of a budget that it uses together with other turns. */
  readonly sharedBudget: string | null
  /** The schema that the answer must meet; null: the answer is text. */
  readonly responseSchema: JsonSchema | null
  /** The accepted answer to `responseSchema`, JSON. */
  readonly value: string | null
  /** The files that came with the message; null: none. */
  readonly attachments: readonly Attachment[] | null
  /** Why its tree is being cancelled; null: it is not. */
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
  | 'priority'
  | 'idempotencyKey'
  | 'acceptedAt'
  | 'budget'
  | 'sharedBudget'
  | 'responseSchema'
  | 'attachments'
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
  /** Claude certainly never saw the turn, so the notices attached to it wait for another turn. */
  readonly neverBegan: boolean
  /** How much of the model's window the conversation takes, tokens; null keeps the stored value. */
  readonly contextTokens: number | null
  readonly contextWindow: number | null
  /** The ends of its tools, as far as they were seen. */
  readonly toolEnds: readonly ToolEnd[]
}

/** Why a message is given to Claude: the first time, again under its uuid, or to continue after an interruption. */
export type DeliveryReason = 'first' | 'again' | 'continue'

export interface DeliveryRow {
  readonly uuid: string
  readonly turn: string
  readonly why: DeliveryReason
  readonly committedAt: number
}

type Raw = Record<string, unknown>

export function toTurn(raw: Raw): TurnRow {
  const inJson = Object.fromEntries(jsonColumns.map((column) => [column, parsed(raw[column])])) as InJson
  return { ...(raw as Omit<TurnRow, keyof InJson>), ...inJson, awaited: raw['awaited'] === 1 }
}

const jsonColumns = ['usage', 'budget', 'ending', 'background', 'responseSchema', 'attachments'] as const
type InJson = Pick<TurnRow, (typeof jsonColumns)[number]>

function parsed(json: unknown) {
  return json === null ? null : JSON.parse(json as string)
}

/**
 * The ledger: turns, their deliveries and tool starts. Each method is one durable commit; `atomically` combines
 * several.
 */
export class Ledger {
  readonly toolStarts: ToolStarts
  readonly openAgents: OpenAgents
  readonly reports: Reports
  readonly retries: Retries
  readonly steers: Steers
  readonly attachments: Attachments
  readonly valueRefusals: ValueRefusals
  readonly #database: Store
  readonly #statements

  constructor(database: Store) {
    this.toolStarts = new ToolStarts(database)
    this.openAgents = new OpenAgents(database)
    this.reports = new Reports(database)
    this.retries = new Retries(database)
    this.steers = new Steers(database)
    this.attachments = new Attachments(database)
    this.valueRefusals = new ValueRefusals(database)
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

  /** Adds a turn; once committed, it survives a crash. Returns its sequence number. */
  accept(turn: NewTurn): number {
    const { id, session, message, parentTurn, parentToolUse, hop, idempotencyKey, acceptedAt, priority } = turn
    const json = [turn.budget, turn.responseSchema, turn.attachments].map((value) => value && JSON.stringify(value))
    const { lastInsertRowid } = this.#statements.accept.run(
      ...[id, session, message, parentTurn, parentToolUse, hop, turn.awaited ? 1 : 0, idempotencyKey, acceptedAt],
      ...json,
      priority,
      turn.sharedBudget,
    )
    return Number(lastInsertRowid)
  }

  /** Replaces the message of a turn that was not dispatched. */
  revise(turn: string, message: string): void {
    const { changes } = this.#statements.revise.run(message, turn)
    if (changes === 0) throw new Error(`turn ${turn} was dispatched before its message was changed`)
  }

  /**
   * Commits a delivery before its message is written to Claude. The first delivery uses the turn's id and is recorded
   * in the turn's row, so that a warm turn touches few pages; a resend keeps its uuid. The first delivery's transaction
   * also attaches the pair's pending notices to this turn.
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
   * Moves the unsettled turns of a replaced session to another one. The oldest records `why` as its context reset; null
   * records nothing. `except` stays and ends in the old session.
   */
  moveTurns(fromSession: number, toSession: number, why: string | null, except: string | null = null): void {
    this.#statements.move.run(toSession, why, fromSession, except)
  }

  /** Stores the value that answers the turn, JSON; the first one counts. */
  giveValue(turn: string, value: string): void {
    this.#statements.giveValue.run(value, turn)
  }

  settle(turn: Pick<TurnRow, 'id' | 'session'>, end: Settlement): void {
    this.atomically(() => {
      const usage = this.reports.withUncounted(turn.id, end.usage)
      const { changes } = this.#statements.settle.run(
        end.outcome,
        end.reason,
        end.detail,
        end.answer,
        end.partial,
        usage && JSON.stringify(usage),
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

  /** The turn with this key. A rebuilt store has lost the keys, so the id derived from the key counts too. */
  turnByKey(idempotencyKey: string, derivedId: string): TurnRow | undefined {
    const raw = this.#statements.byKey.get(idempotencyKey, derivedId)
    return raw && toTurn(raw)
  }

  /** All turns that have not ended, in the order of acceptance. */
  unsettled(): TurnRow[] {
    return this.#statements.unsettled.all().map(toTurn)
  }

  /** The sequence number from which on turns were accepted at `at` or later. */
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
