import type { DatabaseSync } from 'node:sqlite'

export type ChannelPostState = 'waiting' | 'sending' | 'reserved' | 'posted' | 'in_doubt' | 'failed'

/** One message that Iris posts in a chat. */
export interface ChannelPostRow {
  readonly id: number
  readonly source: string
  readonly chat: string
  /** The turn that it answers; null for a post that answers no turn. */
  readonly turn: string | null
  /** Orders the posts; all pieces of one answer have the same place. */
  readonly place: number
  /** From 0; -1: the file with an answer that is too long for posts. */
  readonly piece: number
  /** Null until the turn has ended, and for a file. */
  readonly text: string | null
  /** The platform's id of the message that it replies to. */
  readonly replyTo: string | null
  readonly state: ChannelPostState
  /** The platform's own id, once it is known. */
  readonly platformId: string | null
  readonly problem: string | null
  readonly createdAt: number
  /** The permission question that it asks; null for other posts. */
  readonly permission: string | null
  /** Of the input that the question is about. */
  readonly inputHash: string | null
  /** Carried by the buttons; null once the question is over. */
  readonly token: string | null
  readonly mode: 'ask' | 'forward' | null
  readonly canAllow: 0 | 1
  /** The text that replaces the post when the question is over. */
  readonly outcome: string | null
}

/** The posts that failed in one chat, with what the platform said of the last one. */
export interface ChatFailureRow {
  readonly chat: string
  readonly posts: number
  readonly problem: string
  /** When the last one was to be posted, in milliseconds since the epoch. */
  readonly at: number
  /** 1: something was posted there later. */
  readonly isOver: 0 | 1
}

export interface NewQuestionPost extends Pick<ChannelPostRow, 'source' | 'chat' | 'createdAt'> {
  readonly permission: string
  readonly inputHash: string
  readonly token: string
  readonly mode: 'ask' | 'forward'
  readonly text: string
  readonly canAllow: boolean
}

/** A post with buttons. */
export type QuestionPostRow = ChannelPostRow & {
  readonly [K in 'permission' | 'inputHash' | 'mode']: NonNullable<ChannelPostRow[K]>
}

export type NewPost = Pick<ChannelPostRow, 'source' | 'chat' | 'turn' | 'text' | 'replyTo' | 'createdAt'> & {
  /** 1: posted beside the answer that is being written. */
  readonly aside?: 0 | 1
}

/** A file that an agent sends to a chat, as its post. */
export interface ChannelFile {
  readonly name: string
  readonly content: Uint8Array
  /** The platform's id of a content that it has and shows to nobody yet. */
  readonly upload: string | null
}

const columns = `id, source, chat, turn, place, piece, text, reply_to AS replyTo, state, platform_id AS platformId,
  problem, created_at AS createdAt, permission, input_hash AS inputHash, token, mode, can_allow AS canAllow, outcome`

const isOpen = `state IN ('waiting', 'sending', 'reserved')`
const begun = `state = 'waiting', platform_id = NULL`

/** The table `channel_posts`: what Iris posts, in order. */
export class ChannelPosts {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      add: database.prepare(
        `INSERT INTO channel_posts (source, chat, turn, place, piece, text, reply_to, created_at, aside)
         VALUES (?, ?, ?, (SELECT COALESCE(MAX(place), 0) + 1 FROM channel_posts), 0, ?, ?, ?, ?)`,
      ),
      ofTurn: database.prepare(`SELECT ${columns} FROM channel_posts WHERE turn = ? AND piece = 0`),
      setText: database.prepare('UPDATE channel_posts SET text = ? WHERE id = ?'),
      addPiece: database.prepare(
        `INSERT INTO channel_posts (source, chat, turn, place, piece, text, reply_to, created_at)
         VALUES (?, ?, ?, ?, ?, ?, NULL, ?)`,
      ),
      addAnswerFile: database.prepare(
        `INSERT INTO channel_posts (source, chat, turn, place, piece, created_at, aside) VALUES (?, ?, ?, ?, -1, ?, 1)`,
      ),
      next: database.prepare(
        `SELECT ${columns} FROM channel_posts WHERE source = ? AND chat = ? AND aside = 0
           AND ${isOpen} ORDER BY place, piece LIMIT 1`,
      ),
      nextAside: database.prepare(
        `SELECT ${columns} FROM channel_posts WHERE source = ? AND chat = ? AND aside = 1
           AND ${isOpen} ORDER BY place LIMIT 1`,
      ),
      addQuestion: database.prepare(
        `INSERT INTO channel_posts
           (source, chat, place, piece, text, created_at, permission, input_hash, token, mode, can_allow, aside)
         VALUES (?, ?, (SELECT COALESCE(MAX(place), 0) + 1 FROM channel_posts), 0, ?, ?, ?, ?, ?, ?, ?, 1)`,
      ),
      ofToken: database.prepare(`SELECT ${columns} FROM channel_posts WHERE source = ? AND token = ?`),
      // A question that nobody saw needs no words about its end.
      forgetQuestion: database.prepare(`DELETE FROM channel_posts WHERE permission = ? AND state = 'waiting'`),
      endQuestion: database.prepare(
        `UPDATE channel_posts SET outcome = ?, token = NULL, state = CASE state WHEN 'posted' THEN 'reserved' ELSE state END
         WHERE permission = ? AND outcome IS NULL RETURNING source, chat`,
      ),
      outcomeOf: database.prepare('SELECT outcome FROM channel_posts WHERE id = ?'),
      waitingOf: database.prepare(
        `SELECT COUNT(*) AS count FROM channel_posts WHERE source = ? AND chat = ? AND turn IS NULL AND permission IS NULL
           AND state IN ('waiting', 'sending')`,
      ),
      chats: database.prepare(`SELECT DISTINCT chat FROM channel_posts WHERE source = ? AND ${isOpen}`),
      state: database.prepare(
        `UPDATE channel_posts SET state = ?, platform_id = COALESCE(?, platform_id), problem = ? WHERE id = ?`,
      ),
      addFile: database.prepare(
        `INSERT INTO channel_files (post, name, content) VALUES ((SELECT MAX(id) FROM channel_posts), ?, ?)`,
      ),
      fileOf: database.prepare('SELECT name, content, upload FROM channel_files WHERE post = ?'),
      uploaded: database.prepare('UPDATE channel_files SET upload = ? WHERE post = ?'),
      bytesOf: database.prepare(
        `SELECT COALESCE(SUM(octet_length(content)), 0) AS total,
           COALESCE(SUM(octet_length(content)) FILTER (WHERE source = ? AND chat = ?), 0) AS ofChat
         FROM channel_files JOIN channel_posts ON id = post`,
      ),
      begin: database.prepare(`UPDATE channel_posts SET ${begun}, problem = ? WHERE id = ?`),
      ...prepareSums(database),
    }
  }

  /** Adds a post behind all others. */
  add({ source, chat, turn, text, replyTo, createdAt, aside = 0 }: NewPost): void {
    this.#statements.add.run(source, chat, turn, text, replyTo, createdAt, aside)
  }

  /** Adds a file behind all other posts; part of the caller's transaction. */
  addFile(post: Omit<NewPost, 'turn' | 'text' | 'aside'>, name: string, content: Uint8Array): void {
    this.add({ ...post, turn: null, text: null, aside: 1 })
    this.#statements.addFile.run(name, content)
  }

  /** Undefined for a post of text, and once the file is posted. */
  fileOf(id: number): ChannelFile | undefined {
    return this.#statements.fileOf.get(id) as ChannelFile | undefined
  }

  /** The platform has the content of a file. */
  uploaded(id: number, upload: string): void {
    this.#statements.uploaded.run(upload, id)
  }

  /** Bytes of the files that are not posted yet: of one chat, and of all. */
  fileBytes(source: string, chat: string): { readonly ofChat: number; readonly total: number } {
    return this.#statements.bytesOf.get(source, chat) as { ofChat: number; total: number }
  }

  /** Sets the answer to a turn, in pieces that the platform accepts. All get the place of the turn's post. */
  answer(turn: string, pieces: readonly string[], at: number): void {
    const first = this.#statements.ofTurn.get(turn) as ChannelPostRow | undefined
    if (first === undefined) return
    for (const [piece, text] of pieces.entries()) {
      if (piece === 0) this.#statements.setText.run(text, first.id)
      else this.#statements.addPiece.run(first.source, first.chat, turn, first.place, piece, text, at)
    }
  }

  /** Adds the file with the whole of an answer; part of the caller's transaction. */
  addAnswerFile(turn: string, name: string, content: Uint8Array, at: number): void {
    const first = this.#statements.ofTurn.get(turn) as ChannelPostRow | undefined
    if (first === undefined) return
    this.#statements.addAnswerFile.run(first.source, first.chat, turn, first.place, at)
    this.#statements.addFile.run(name, content)
  }

  /** Notes that the file of an answer cannot be posted, or perhaps was not, and adds the rest of the answer as further pieces. */
  inPieces(
    { id, source, chat, turn, place }: ChannelPostRow,
    pieces: readonly string[],
    { state, problem }: { readonly state: 'failed' | 'in_doubt'; readonly problem: string },
    at: number,
  ): void {
    this.set(id, state, { problem })
    for (const [before, text] of pieces.entries())
      this.#statements.addPiece.run(source, chat, turn, place, before + 1, text, at)
  }

  /** The next post of a chat; undefined when none is left. */
  next(source: string, chat: string): ChannelPostRow | undefined {
    return this.#statements.next.get(source, chat) as ChannelPostRow | undefined
  }

  /** As `next`, of posts that do not wait for an answer that is being written. */
  nextAside(source: string, chat: string): ChannelPostRow | undefined {
    return this.#statements.nextAside.get(source, chat) as ChannelPostRow | undefined
  }

  addQuestion(post: NewQuestionPost): void {
    const { source, chat, text, createdAt, permission, inputHash, token, mode, canAllow } = post
    this.#statements.addQuestion.run(
      ...[source, chat, text, createdAt, permission, inputHash, token, mode, canAllow ? 1 : 0],
    )
  }

  /** The post whose buttons carry this token; undefined once its question is over. */
  ofToken(source: string, token: string): QuestionPostRow | undefined {
    return this.#statements.ofToken.get(source, token) as QuestionPostRow | undefined
  }

  /** Has the posts of a question say how it ended. Returns their chats. */
  endQuestion(permission: string, outcome: string): { readonly source: string; readonly chat: string }[] {
    this.#statements.forgetQuestion.run(permission)
    return this.#statements.endQuestion.all(outcome, permission) as { source: string; chat: string }[]
  }

  outcomeOf(id: number): string | null {
    return (this.#statements.outcomeOf.get(id)?.['outcome'] ?? null) as string | null
  }

  /** How many texts of Iris itself wait in a chat. */
  waitingOf(source: string, chat: string): number {
    return Number(this.#statements.waitingOf.get(source, chat)?.['count'])
  }

  /** The chats with posts that have not ended. */
  chats(source: string): string[] {
    return this.#statements.chats.all(source).map(({ chat }) => String(chat))
  }

  set(
    id: number,
    state: ChannelPostState,
    { platformId, problem }: { platformId?: string; problem?: string } = {},
  ): void {
    this.#statements.state.run(state, platformId ?? null, problem ?? null, id)
  }

  /** Posts it again from the beginning: its message on the platform is gone, or has this problem. */
  begin(id: number, problem: string | null = null): void {
    this.#statements.begin.run(problem, id)
  }

  counts(source: string): Readonly<Record<ChannelPostState, number>> {
    const none = { waiting: 0, sending: 0, reserved: 0, posted: 0, in_doubt: 0, failed: 0 }
    const rows = this.#statements.counts.all(source).map(({ state, count }) => [state, count])
    return { ...none, ...Object.fromEntries(rows) }
  }

  /** The chats where posts failed, the latest first. */
  failures(source: string, limit: number): readonly ChatFailureRow[] {
    return this.#statements.failures.all(source, limit) as unknown as ChatFailureRow[]
  }
}

function prepareSums(database: DatabaseSync) {
  return {
    counts: database.prepare('SELECT state, COUNT(*) AS count FROM channel_posts WHERE source = ? GROUP BY state'),
    failures: database.prepare(
      `SELECT chat, COUNT(*) AS posts, problem, created_at AS at, MAX(id) > (
         SELECT COALESCE(MAX(id), 0) FROM channel_posts p WHERE p.source = f.source AND p.chat = f.chat AND state = 'posted'
       ) IS FALSE AS isOver
       FROM channel_posts f WHERE source = ? AND state = 'failed' GROUP BY chat ORDER BY MAX(id) DESC LIMIT ?`,
    ),
  }
}
