import type { DatabaseSync } from 'node:sqlite'
import type { JournalType } from '../../base/protocol/journal.ts'
import { number, type RowOf, Selection, Table, text } from './table.ts'

export const journal = new Table('journal', {
  /** Increases by one with each row. */
  sequence: number(),
  /** Milliseconds since the epoch. */
  at: number(),
  type: text<JournalType>(),
  turn: text(),
  /** The question that was asked or ended; null if the row is about the turn. */
  question: text<string | null>(),
})

/** The epochs: one for each start of a program that writes the journal. */
export const journalEpochs = new Table('journal_epochs', {
  sequence: number(),
  /** Random. */
  id: text(),
  /** The number of its first row in the journal. */
  first: number(),
})

const entry = new Selection(journal.omit('sequence'))
const range = new Selection({
  oldest: number<number | null>('(SELECT MIN(sequence) FROM journal)'),
  newest: number<number | null>('(SELECT MAX(sequence) FROM journal)'),
})
const epoch = new Selection(journalEpochs.pick('id', 'first'))

export interface StoredJournalRow extends RowOf<typeof journal> {}

export interface JournalEntry extends RowOf<typeof entry> {}

export interface JournalEpoch extends RowOf<typeof epoch> {}

/** How long a row is kept, milliseconds. */
export const keptMs = 30 * 86_400_000
/** How many rows are deleted in one commit. */
const atOnce = 1000

/**
 * The tables `journal` and `journal_epochs`. Call `add` in the transaction of the change that it records. The methods
 * that read rows leave out turns that were asked from another host.
 */
export class JournalRows {
  readonly #statements
  readonly #listeners = new Set<() => void>()
  #onAdd: ((row: JournalEntry, sequence: number) => void) | undefined
  #epochs: readonly JournalEpoch[] | undefined
  #isTelling = false
  /** The current epoch, until the store contains it. */
  #unwritten: string | undefined

  constructor(database: DatabaseSync) {
    this.#statements = prepare(database)
  }

  /**
   * From now on, rows belong to this epoch. Throws the store's errors; in that case, the epoch is written later, with
   * the first row.
   */
  begin(id: string): void {
    this.#unwritten = id
    this.#epochs = undefined
    this.#statements.begin.run(id)
    this.#unwritten = undefined
  }

  add(row: JournalEntry): void {
    const { lastInsertRowid } = this.#statements.add.run(row)
    if (this.#unwritten !== undefined) {
      this.#statements.beginWith.run(this.#unwritten, lastInsertRowid)
      this.#epochs = undefined
    }
    this.#onAdd?.(row, Number(lastInsertRowid))
    this.#tellLater()
  }

  /**
   * Sets the only listener. It is called for each row, within the row's transaction, which may still be rolled back. It
   * must not throw.
   */
  onAdd(listener: (row: JournalEntry, sequence: number) => void): void {
    this.#onAdd = listener
  }

  /**
   * Calls the listener soon after rows have been added, when their transaction is over. Returns a function that removes
   * the listener.
   */
  onRows(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The rows after `after` up to and including `upTo`, oldest first. */
  read(after: number, upTo: number, limit: number): StoredJournalRow[] {
    return this.#statements.read.all(after, upTo, limit)
  }

  /** The numbers of the oldest and the newest row; null if there is no row. */
  get range(): RowOf<typeof range> {
    return this.#statements.range.get()!
  }

  /** All epochs, in the order of their starts. */
  get epochs(): readonly JournalEpoch[] {
    this.#epochs ??= this.#statements.epochs.all()
    return this.#epochs
  }

  /**
   * Of the next 1000 rows after the number `after`, deletes those that are older than `before`, but never the newest
   * row: SQLite would assign its number again. Returns the number with which to continue, or undefined if the remaining
   * rows are not that old.
   */
  prune(after: number, before: number): number | undefined {
    const { piece, remove, removeEpochs } = this.#statements
    const last = Number(piece.get(after)?.['last'] ?? 0)
    const { changes } = remove.run(after, last, before)
    if (Number(changes) > 0) return last
    removeEpochs.run()
    this.#epochs = undefined
    return undefined
  }

  /**
   * For a rebuilt store: adds missing rows for the events of its turns and questions since the oldest row; if the
   * journal is empty, for the events of the last 30 days.
   */
  complete(now: number): void {
    this.#statements.complete.run(now - keptMs)
  }

  /** A transaction is synchronous, so it has ended when the microtask runs. */
  #tellLater(): void {
    if (this.#isTelling || this.#listeners.size === 0) return
    this.#isTelling = true
    queueMicrotask(() => {
      this.#isTelling = false
      for (const listener of this.#listeners) listener()
    })
  }
}

function prepare(database: DatabaseSync) {
  return {
    add: journal.insert(database, entry.columns),
    // If there is no other epoch, the existing rows belong to this epoch.
    begin: database.prepare(
      `INSERT INTO journal_epochs (id, first) SELECT ?, IIF(EXISTS (SELECT 1 FROM journal_epochs),
         (SELECT COALESCE(MAX(sequence), 0) + 1 FROM journal), (SELECT COALESCE(MIN(sequence), 1) FROM journal))`,
    ),
    beginWith: database.prepare(
      `INSERT INTO journal_epochs (id, first)
         SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM journal_epochs WHERE id = ?1)`,
    ),
    read: journal.select(
      database,
      `FROM journal WHERE sequence > ? AND sequence <= ?
         AND NOT EXISTS (SELECT 1 FROM cluster_asks WHERE cluster_asks.turn = journal.turn)
       ORDER BY sequence LIMIT ?`,
    ),
    range: range.select(database, ''),
    epochs: epoch.select(database, 'FROM journal_epochs ORDER BY sequence'),
    piece: database.prepare(
      `SELECT MAX(sequence) AS last FROM (
         SELECT sequence FROM journal WHERE sequence > ? ORDER BY sequence LIMIT ${atOnce})`,
    ),
    remove: database.prepare(
      `DELETE FROM journal WHERE sequence > ? AND sequence <= ? AND at < ?
         AND sequence < (SELECT MAX(sequence) FROM journal)`,
    ),
    removeEpochs: database.prepare(
      `DELETE FROM journal_epochs WHERE sequence < (SELECT MAX(sequence) FROM journal_epochs
         WHERE first <= (SELECT MIN(sequence) FROM journal))`,
    ),
    complete: database.prepare(
      `INSERT INTO journal (at, type, turn, question)
         SELECT at, type, turn, question FROM (
           SELECT accepted_at AS at, 'turn-accepted' AS type, id AS turn, NULL AS question, 0 AS step FROM turns
           UNION ALL SELECT settled_at, 'turn-settled', id, NULL, 3 FROM turns WHERE state = 'settled'
           UNION ALL SELECT asked_at, 'permission:request', turn, id, 1 FROM permissions WHERE turn IS NOT NULL
           UNION ALL SELECT decided_at, IIF(state = 'timed_out', 'permission:timeout', 'permission:resolved'), turn, id, 2
             FROM permissions WHERE turn IS NOT NULL AND state <> 'pending')
         WHERE at >= COALESCE((SELECT MIN(at) FROM journal), ?1)
           AND type || COALESCE(question, turn) NOT IN (
             SELECT type || COALESCE(question, turn) FROM journal WHERE type || COALESCE(question, turn) IS NOT NULL)
         ORDER BY at, (SELECT sequence FROM turns WHERE id = turn), step`,
    ),
  }
}
