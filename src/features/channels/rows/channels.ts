import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../../../platform/store/database.ts'
import type { Store } from '../../../platform/store/store.ts'
import { number, type RowOf, Selection, Table, text } from '../../../platform/store/table.ts'
import type { messageStates } from '../contract/channels.ts'

export type ChannelMessageState = (typeof messageStates)[number]

/** Messages of people in chats. Times are milliseconds since the epoch. */
export const channelMessages = new Table('channel_messages', {
  /** The name of the channel in config.yaml. */
  source: text(),
  updateId: text(),
  /** `{platform}:{channelId}`: the asker. */
  chat: text(),
  sender: text(),
  senderName: text(),
  messageId: text(),
  sentAt: number(),
  receivedAt: number(),
  /** Null if the turn contains the text. A message that joined another turn keeps its own text here. */
  text: text<string | null>(),
  state: text<ChannelMessageState>(),
  turn: text<string | null>(),
  note: text<string | null>(),
  /** The last edit or deletion that Iris knows of, as the platform's time or counter. */
  lastChange: number<number | null>(),
})

export const message = new Selection(channelMessages.omit('lastChange'))

const past = new Selection({
  sender: text('m.sender'),
  name: text('m.sender_name'),
  said: text<string | null>('COALESCE(m.text, t.message)'),
  answer: text<string | null>('iif(m.text IS NULL, t.answer, NULL)'),
  at: number('m.sent_at'),
  endedAt: number<number | null>('t.settled_at'),
})

const cursors = new Selection({ cursor: text(), since: number() })

const writers = new Selection({ ...channelMessages.pick('chat', 'sender'), receivedAt: number('MAX(received_at)') })

const bytes = `SUM(file.value ->> 'bytes')`
const fileBytes = new Selection({
  ofSender: number(`COALESCE(${bytes} FILTER (WHERE m.sender = ?), 0)`),
  total: number(`COALESCE(${bytes}, 0)`),
})

/** Averages over messages; tokens as the API counts them. */
const costs = new Selection({
  /** 1: messages that began a conversation. 0: later messages. */
  isFirst: number<0 | 1>('isFirst'),
  messages: number('COUNT(*)'),
  cacheRead: number(`AVG(usage ->> 'cacheReadTokens')`),
  cacheWrite: number(`AVG(usage ->> 'cacheWriteTokens')`),
  input: number(`AVG(usage ->> 'inputTokens')`),
  output: number(`AVG(usage ->> 'outputTokens')`),
  /** US dollars; null if Claude Code did not say. */
  costUsd: number<number | null>(`AVG(usage ->> 'costUsd')`),
})

export interface ChannelMessageRow extends RowOf<typeof message> {}

export interface ChannelCost extends RowOf<typeof costs> {}

type MessageName = Pick<ChannelMessageRow, 'source' | 'updateId' | 'chat' | 'sender'>

/** Longer than the time in which platforms redeliver messages. */
const refusalsForMs = 86_400_000
/**
 * How many of a person's refused messages in a chat are remembered individually. All earlier messages are treated as
 * refused too.
 */
const maxRefused = 50

/** Platforms number updates in ascending order, with digits or with a timestamp of fixed length. */
function isLater(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length
}

/** The tables `channel_messages` and `channel_cursors`: what people wrote. */
export class ChannelMessages {
  readonly #database: Store
  readonly #statements

  constructor(database: Store) {
    this.#database = database
    this.#statements = { ...prepare(database), ...prepareSkipped(database), ...prepareSums(database) }
  }

  /** Runs `work` in a transaction, or in the caller's if one is open. */
  atomically<T>(work: () => T): T {
    return this.#database.isTransaction ? work() : transaction(this.#database, work)
  }

  /** The cursor up to which every update is handled, and when the source was first connected. */
  cursor(source: string): RowOf<typeof cursors> | undefined {
    return this.#statements.cursor.get(source)
  }

  /** Records that every update up to `cursor` has a row, or needs none. */
  move(source: string, cursor: string, at: number): void {
    this.#statements.move.run(source, cursor, at)
  }

  /** Whether this message has already been stored or refused. */
  isKnown({ source, updateId, chat, sender }: MessageName, now: number): boolean {
    if (this.#statements.known.get(source, updateId) !== undefined) return true
    const refused = this.#refused({ source, chat, sender }, now)
    return refused.includes(updateId) || (refused.length === maxRefused && !isLater(updateId, refused[0]!))
  }

  /** A person's latest refused updates in a chat, the earliest first. */
  #refused({ source, chat, sender }: Omit<MessageName, 'updateId'>, now: number): readonly string[] {
    const row = this.#statements.refused.get(source, chat, sender, now - refusalsForMs)
    return row === undefined ? [] : JSON.parse(String(row['updates']))
  }

  /** Counts a refused message. There is one row for each person and chat, however many messages were refused. */
  refuse({ source, updateId, chat, sender }: MessageName, at: number): void {
    const updates = [...this.#refused({ source, chat, sender }, at), updateId]
    const latest = updates.toSorted((one, other) => (isLater(one, other) ? 1 : -1)).slice(-maxRefused)
    this.#statements.refuse.run(source, chat, sender, JSON.stringify(latest), at)
    this.#statements.forgetRefusals.run(at - refusalsForMs)
  }

  add(row: ChannelMessageRow): void {
    this.#statements.add.run({ ...row, lastChange: null })
  }

  /** The message that began the turn; others may have joined it. */
  ofTurn(turn: string): ChannelMessageRow | undefined {
    return this.#statements.ofTurn.get(turn)
  }

  answered(turn: string): void {
    this.#statements.answered.run(turn)
  }

  /** Messages of one sender that have no answer yet. */
  waitingOf(source: string, sender: string): number {
    return Number(this.#statements.waiting.get(sender, source)?.['count'])
  }

  /** Bytes of the files that Iris keeps for a channel's messages: from one sender, and from all. */
  fileBytes(source: string, sender: string): RowOf<typeof fileBytes> {
    return this.#statements.fileBytes.get(sender, source)!
  }

  /** Messages whose answer has not been queued for posting yet, in the order in which their turns were accepted. */
  unanswered(): ChannelMessageRow[] {
    return this.#statements.unanswered.all()
  }

  /** Marks the skipped messages of a chat as announced. Returns how many of them had not been announced before. */
  announceSkipped(source: string, chat: string): number {
    return Number(this.#statements.announce.run(source, chat).changes)
  }

  /** The oldest skipped messages of a channel. */
  skipped(source: string, limit: number): ChannelMessageRow[] {
    return this.#statements.skipped.all(source, limit)
  }

  /** Records that a skipped message is being answered after all, or needs no answer. */
  replayed(
    source: string,
    updateId: string,
    state: ChannelMessageState,
    turn: string | null,
    note: string | null,
  ): void {
    this.#statements.replayed.run(state, turn, note, source, updateId)
  }

  /** The chats of a channel that have skipped messages which were not announced yet. */
  withSkipped(source: string): string[] {
    return this.#statements.withSkipped.all(source).map(({ chat }) => String(chat))
  }

  /** The latest `limit` messages and answers in a chat, oldest first. */
  past(source: string, chat: string, limit: number) {
    const rows = this.#statements.past.all(source, chat, limit)
    return rows
      .toReversed()
      .flatMap(({ sender, name, said, answer, at, endedAt }) => [
        { sender, name, isYou: false, text: said ?? '', at },
        ...(answer === null ? [] : [{ sender: 'you', name: 'you', isYou: true, text: answer, at: endedAt ?? at }]),
      ])
  }

  /**
   * The source of the message that led to a turn. Without a turn, the source of the chat's unanswered messages, if they
   * all have the same source: several bots may be in one chat.
   */
  sourceOf(chat: string, turn: string | null): string | undefined {
    const { sourceOfTurn, onlySource } = this.#statements
    const row = turn === null ? onlySource.get(chat) : sourceOfTurn.get(turn, chat)
    return (row?.['source'] ?? undefined) as string | undefined
  }

  /** The people who wrote in a channel, with their chats, newest message first. */
  writers(source: string): RowOf<typeof writers>[] {
    return this.#statements.writers.all(source)
  }

  /**
   * The average costs of answered messages: one for the first messages of conversations, one for all later messages.
   */
  costs(source: string): readonly ChannelCost[] {
    return this.#statements.costs.all(source)
  }

  counts(source: string): Readonly<Record<ChannelMessageState, number>> {
    const none = { asked: 0, answered: 0, handled: 0, skipped: 0, refused: 0 }
    const rows = this.#statements.counts.all(source).map(({ state, count }) => [state, count])
    const found = { ...none, ...Object.fromEntries(rows) }
    return { ...found, refused: found.refused + Number(this.#statements.refusals.get(source)?.['count'] ?? 0) }
  }
}

function prepare(database: DatabaseSync) {
  return {
    cursor: cursors.select(database, 'FROM channel_cursors WHERE source = ?'),
    move: database.prepare(
      `INSERT INTO channel_cursors (source, cursor, since) VALUES (?, ?, ?)
       ON CONFLICT (source) DO UPDATE SET cursor = excluded.cursor`,
    ),
    known: database.prepare('SELECT 1 FROM channel_messages WHERE source = ? AND update_id = ?'),
    refused: database.prepare(
      // After a week without updates, Telegram continues with an arbitrary number.
      `SELECT updates FROM channel_refusals WHERE source = ? AND chat = ? AND sender = ? AND refused_at >= ?`,
    ),
    refuse: database.prepare(
      `INSERT INTO channel_refusals (source, chat, sender, messages, updates, refused_at) VALUES (?, ?, ?, 1, ?, ?)
       ON CONFLICT (source, chat, sender) DO UPDATE SET messages = messages + 1, updates = excluded.updates,
         refused_at = excluded.refused_at`,
    ),
    forgetRefusals: database.prepare('DELETE FROM channel_refusals WHERE refused_at < ?'),
    refusals: database.prepare('SELECT SUM(messages) AS count FROM channel_refusals WHERE source = ?'),
    add: channelMessages.insert(database, channelMessages.columns),
    ofTurn: message.select(
      database,
      `FROM channel_messages WHERE turn = ? ORDER BY text IS NOT NULL, received_at LIMIT 1`,
    ),
    answered: database.prepare(`UPDATE channel_messages SET state = 'answered' WHERE turn = ?`),
    waiting: database.prepare(
      `SELECT COUNT(*) AS count FROM channel_messages WHERE state = 'asked' AND sender = ? AND source = ?`,
    ),
    unanswered: message.select(
      database,
      `FROM channel_messages WHERE state = 'asked'
       ORDER BY (SELECT sequence FROM turns WHERE id = turn)`,
    ),
    announce: database.prepare(
      `UPDATE channel_messages SET note = 'announced' WHERE state = 'skipped' AND note IS NULL AND source = ? AND chat = ?`,
    ),
    past: past.select(
      database,
      `FROM channel_messages m LEFT JOIN turns t ON t.id = m.turn
       WHERE m.source = ? AND m.chat = ? AND m.state IN ('asked', 'answered') ORDER BY m.received_at DESC LIMIT ?`,
    ),
    sourceOfTurn: database.prepare(
      `WITH RECURSIVE above (id) AS (
         VALUES (?1) UNION SELECT turns.parent_turn FROM turns JOIN above ON turns.id = above.id)
       SELECT source FROM channel_messages WHERE chat = ?2 AND turn IN (SELECT id FROM above) LIMIT 1`,
    ),
    onlySource: database.prepare(
      `SELECT MIN(source) AS source FROM channel_messages WHERE chat = ? AND state = 'asked' HAVING MIN(source) = MAX(source)`,
    ),
    writers: writers.select(
      database,
      `FROM channel_messages WHERE source = ?
       GROUP BY chat, sender ORDER BY MAX(sent_at) DESC`,
    ),
    counts: database.prepare('SELECT state, COUNT(*) AS count FROM channel_messages WHERE source = ? GROUP BY state'),
  }
}

function prepareSkipped(database: DatabaseSync) {
  return {
    skipped: message.select(
      database,
      `FROM channel_messages WHERE source = ? AND state = 'skipped'
       ORDER BY sent_at, received_at, update_id LIMIT ?`,
    ),
    replayed: database.prepare(
      `UPDATE channel_messages SET state = ?, turn = ?, note = ?, text = NULL
       WHERE source = ? AND update_id = ? AND state = 'skipped'`,
    ),
    withSkipped: database.prepare(
      `SELECT DISTINCT chat FROM channel_messages WHERE source = ? AND state = 'skipped' AND note IS NULL`,
    ),
  }
}

function prepareSums(database: DatabaseSync) {
  return {
    fileBytes: fileBytes.select(
      database,
      `FROM channel_messages m JOIN turns t ON t.id = m.turn JOIN json_each(t.attachments) AS file
       WHERE m.source = ? AND t.attachments IS NOT NULL AND file.value ->> 'sha256' IS NOT NULL`,
    ),
    costs: costs.select(
      database,
      `FROM (SELECT t.usage, NOT EXISTS (SELECT 1 FROM turns e WHERE e.session = t.session AND e.sequence < t.sequence) AS isFirst
             FROM channel_messages m JOIN turns t ON t.id = m.turn
             WHERE m.source = ? AND m.text IS NULL AND t.outcome = 'completed' AND t.usage IS NOT NULL)
       GROUP BY isFirst ORDER BY isFirst DESC`,
    ),
  }
}
