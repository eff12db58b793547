import type { DatabaseSync } from 'node:sqlite'
import { transaction } from './database.ts'
import type { Store } from './store.ts'

export type ChannelMessageState = 'asked' | 'answered' | 'handled' | 'skipped' | 'refused'

/** A message of a person in a chat. Times are milliseconds since the epoch. */
export interface ChannelMessageRow {
  /** The name of the channel in config.yaml. */
  readonly source: string
  readonly updateId: string
  /** `{platform}:{channelId}`: the asker. */
  readonly party: string
  readonly sender: string
  readonly senderName: string
  readonly messageId: string
  readonly sentAt: number
  readonly receivedAt: number
  readonly text: string | null
  readonly state: ChannelMessageState
  readonly turn: string | null
  readonly note: string | null
}

const messageColumns = `source, update_id AS updateId, party, sender, sender_name AS senderName, message_id AS messageId,
  sent_at AS sentAt, received_at AS receivedAt, text, state, turn, note`

/** The tables `channel_messages` and `channel_cursors`: what people wrote. */
export class ChannelMessages {
  readonly #database: Store
  readonly #statements

  constructor(database: Store) {
    this.#database = database
    this.#statements = prepare(database)
  }

  /** Runs `work` in a transaction, or in the caller's if one is open. */
  atomically<T>(work: () => T): T {
    return this.#database.isTransaction ? work() : transaction(this.#database, work)
  }

  /** The cursor up to which every update is handled, and when the source was first connected. */
  cursor(source: string): { readonly cursor: string; readonly since: number } | undefined {
    return this.#statements.cursor.get(source) as { cursor: string; since: number } | undefined
  }

  /** Every update up to `cursor` has a row, or needs none. */
  move(source: string, cursor: string, at: number): void {
    this.#statements.move.run(source, cursor, at)
  }

  isKnown(source: string, updateId: string): boolean {
    return this.#statements.known.get(source, updateId) !== undefined
  }

  add(row: ChannelMessageRow): void {
    const { source, updateId, party, sender, senderName, messageId, sentAt, receivedAt, text, state, turn, note } = row
    this.#statements.add.run(
      ...[source, updateId, party, sender, senderName, messageId, sentAt, receivedAt, text, state, turn, note],
    )
  }

  ofTurn(turn: string): ChannelMessageRow | undefined {
    return this.#statements.ofTurn.get(turn) as ChannelMessageRow | undefined
  }

  answered(turn: string): void {
    this.#statements.answered.run(turn)
  }

  /** Messages of one sender that have no answer yet. */
  waitingOf(source: string, sender: string): number {
    return Number(this.#statements.waiting.get(sender, source)?.['count'])
  }

  /** Messages whose answer is not among the posts yet, in the order in which their turns were accepted. */
  unanswered(): ChannelMessageRow[] {
    return this.#statements.unanswered.all() as unknown as ChannelMessageRow[]
  }

  /** Marks the skipped messages of a chat as announced. Returns how many were not announced before. */
  announceSkipped(source: string, party: string): number {
    return Number(this.#statements.announce.run(source, party).changes)
  }

  /** The parties of a channel with skipped messages that were not announced. */
  withSkipped(source: string): string[] {
    return this.#statements.withSkipped.all(source).map(({ party }) => String(party))
  }

  /** The source of a party's oldest message without an answer. */
  sourceOf(party: string): string | undefined {
    return this.#statements.sourceOf.get(party)?.['source'] as string | undefined
  }

  /** The parties of a channel with messages received since `since`. */
  partiesSince(source: string, since: number): string[] {
    return this.#statements.partiesSince.all(source, since).map(({ party }) => String(party))
  }

  counts(source: string): Readonly<Record<ChannelMessageState, number>> {
    const none = { asked: 0, answered: 0, handled: 0, skipped: 0, refused: 0 }
    const rows = this.#statements.counts.all(source).map(({ state, count }) => [state, count])
    return { ...none, ...Object.fromEntries(rows) }
  }
}

function prepare(database: DatabaseSync) {
  return {
    cursor: database.prepare('SELECT cursor, since FROM channel_cursors WHERE source = ?'),
    move: database.prepare(
      `INSERT INTO channel_cursors (source, cursor, since) VALUES (?, ?, ?)
       ON CONFLICT (source) DO UPDATE SET cursor = excluded.cursor`,
    ),
    known: database.prepare('SELECT 1 FROM channel_messages WHERE source = ? AND update_id = ?'),
    add: database.prepare(
      `INSERT INTO channel_messages (source, update_id, party, sender, sender_name, message_id, sent_at, received_at,
         text, state, turn, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    ofTurn: database.prepare(`SELECT ${messageColumns} FROM channel_messages WHERE turn = ?`),
    answered: database.prepare(`UPDATE channel_messages SET state = 'answered' WHERE turn = ?`),
    waiting: database.prepare(
      `SELECT COUNT(*) AS count FROM channel_messages WHERE state = 'asked' AND sender = ? AND source = ?`,
    ),
    unanswered: database.prepare(
      `SELECT ${messageColumns} FROM channel_messages WHERE state = 'asked'
       ORDER BY (SELECT sequence FROM turns WHERE id = turn)`,
    ),
    announce: database.prepare(
      `UPDATE channel_messages SET note = 'announced' WHERE state = 'skipped' AND note IS NULL AND source = ? AND party = ?`,
    ),
    withSkipped: database.prepare(
      `SELECT DISTINCT party FROM channel_messages WHERE state = 'skipped' AND note IS NULL AND source = ?`,
    ),
    sourceOf: database.prepare(
      `SELECT source FROM channel_messages WHERE party = ? AND state = 'asked' ORDER BY received_at LIMIT 1`,
    ),
    partiesSince: database.prepare('SELECT DISTINCT party FROM channel_messages WHERE source = ? AND received_at >= ?'),
    counts: database.prepare('SELECT state, COUNT(*) AS count FROM channel_messages WHERE source = ? GROUP BY state'),
  }
}
