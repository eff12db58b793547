import type { Outcome } from '../../base/protocol/turn.ts'
import { Attachments } from './attachments.ts'
import { transaction } from './database.ts'
import { firstSince } from './first-since.ts'
import { JournalRows } from './journal.ts'
import { prepare } from './ledger-statements.ts'
import { OpenAgents } from './open-agents.ts'
import { Reports } from './reports.ts'
import { Retries } from './retries.ts'
import { Steers } from './steers.ts'
import type { Store } from './store.ts'
import type { RowOf } from './table.ts'
import { type ToolEnd, ToolStarts } from './tool-starts.ts'
import type { deliveries, givenAtAcceptance, givenAtEnd, turns } from './turns.ts'
import { ValueRefusals } from './value-refusals.ts'

export interface TurnRow extends RowOf<typeof turns> {}

export interface NewTurn extends RowOf<typeof givenAtAcceptance> {}

type Dispatched = Pick<TurnRow, 'id' | 'session'> & Partial<Pick<TurnRow, 'firstAt'>>

/** The committed end of a turn. */
export type Settlement = RowOf<typeof givenAtEnd> & {
  readonly outcome: Outcome
  readonly firstAt: number | null
  readonly startedAt: number | null
  readonly settledAt: number
  /** The delivery that was answered; null if there is no answer. */
  readonly answeredDelivery: string | null
  /** Whether Claude certainly never saw the turn. If so, the notices attached to it wait for another turn again. */
  readonly neverBegan: boolean
  /** How many tokens of the model's window the conversation takes up; null keeps the stored value. */
  readonly contextTokens: number | null
  readonly contextWindow: number | null
  /** The known tool ends of the turn. */
  readonly toolEnds: readonly ToolEnd[]
}

export interface DeliveryRow extends RowOf<typeof deliveries> {}

export type DeliveryReason = DeliveryRow['why']

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
  readonly journal: JournalRows
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
    this.journal = new JournalRows(database)
    this.#database = database
    this.#statements = prepare(database)
  }

  atomically<T>(work: () => T): T {
    return this.#database.isTransaction ? work() : transaction(this.#database, work)
  }

  /** Like `atomically`, but without waiting for the disk; see `Store.withoutSync`. */
  written<T>(work: () => T): T {
    return this.#database.withoutSync(() => transaction(this.#database, work))
  }

  /** See `Store.durable`. */
  durable(): Promise<void> | undefined {
    return this.#database.durable()
  }

  /** Adds a turn; once committed, it survives a crash. Returns its sequence number. */
  accept(turn: NewTurn): number {
    return this.atomically(() => {
      const { lastInsertRowid } = this.#statements.accept.run({ ...turn, state: 'accepted' })
      this.journal.add({ at: turn.acceptedAt, type: 'turn-accepted', turn: turn.id, question: null })
      return Number(lastInsertRowid)
    })
  }

  /** Replaces the message of a turn that was not dispatched. */
  revise(turn: string, message: string): void {
    const { changes } = this.#statements.revise.run(message, turn)
    if (changes === 0) throw new Error(`turn ${turn} was dispatched before its message was changed`)
  }

  /**
   * Commits a delivery before its message is written to Claude. The first delivery uses the turn's id and is recorded
   * in the turn's row, so that a warm turn touches few pages; a resent delivery keeps its uuid. The first delivery's
   * transaction also attaches the pair's pending notices to this turn.
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
   * Moves the unsettled turns of a replaced session to another session. The oldest of them records `why` as its context
   * reset; if `why` is null, nothing is recorded. The turn `except` stays and ends in the old session.
   */
  moveTurns(fromSession: number, toSession: number, why: string | null, except: string | null = null): void {
    this.#statements.move.run(toSession, why, fromSession, except)
  }

  /** Stores the value that answers the turn, as JSON. Only the first value is kept. */
  giveValue(turn: string, value: string): void {
    this.#statements.giveValue.run(value, turn)
  }

  settle(turn: Pick<TurnRow, 'id' | 'session'>, end: Settlement): void {
    this.atomically(() => {
      const usage = this.reports.withUncounted(turn.id, end.usage)
      const { changes } = this.#statements.settle.run({ ...end, usage }, end.firstAt, end.startedAt, turn.id)
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
      this.journal.add({ at: end.settledAt, type: 'turn-settled', turn: turn.id, question: null })
    })
  }

  turn(id: string): TurnRow | undefined {
    return this.#statements.byId.get(id)
  }

  /**
   * The turn with this key. A rebuilt store has lost the keys, so a turn with the id that is derived from the key is
   * found too.
   */
  turnByKey(idempotencyKey: string, derivedId: string): TurnRow | undefined {
    return this.#statements.byKey.get(idempotencyKey, derivedId)
  }

  /** All turns that have not ended, in the order of acceptance. */
  unsettled(): TurnRow[] {
    return this.#statements.unsettled.all()
  }

  /** The sequence number from which on turns were accepted at or after `at`. */
  firstSince(at: number): number {
    return firstSince(this.#database, at)
  }

  /** The asks an agent made in this turn, in the order it made them. */
  asksOf(turn: string): TurnRow[] {
    return this.#statements.asksOf.all(turn)
  }

  /** The last answered messages of a session, newest first. */
  exchangesOf(session: number, limit: number): { readonly message: string; readonly answer: string }[] {
    return this.#statements.exchangesOf.all(session, limit)
  }

  deliveriesOf(turn: string): DeliveryRow[] {
    return this.#statements.deliveriesOf.all(turn)
  }
}
