import type { DatabaseSync } from 'node:sqlite'
import { blob, number, type RowOf, Selection, Table, text } from '../../../platform/store/table.ts'
import type { postStates } from '../contract/channels.ts'

export type ChannelPostState = (typeof postStates)[number]

/** Messages that Iris posts in chats. */
export const channelPosts = new Table('channel_posts', {
  id: number(),
  source: text(),
  chat: text(),
  /** The turn that this post answers; null for a post that answers no turn. */
  turn: text<string | null>(),
  /** Orders the posts; all pieces of one answer have the same place. */
  place: number(),
  /** Counts from 0; -1 is the file with an answer that is too long for posts. */
  piece: number(),
  /** Null until the turn has ended, and for a file. */
  text: text<string | null>(),
  /** The platform's id of the message to which this post replies. */
  replyTo: text<string | null>(),
  state: text<ChannelPostState>(),
  /** The platform's own id, once it is known. */
  platformId: text<string | null>(),
  problem: text<string | null>(),
  /** Milliseconds since the epoch. */
  createdAt: number(),
  /** The permission question that this post asks; null for other posts. */
  permission: text<string | null>(),
  /** The hash of the input that the question is about. */
  inputHash: text<string | null>(),
  /** The token in the buttons; null once the question is over. */
  token: text<string | null>(),
  mode: text<'ask' | 'forward' | null>(),
  canAllow: number<0 | 1>(),
  /** The text that replaces the post when the question is over. */
  outcome: text<string | null>(),
  /** 1 if this post does not wait for an unfinished answer. */
  aside: number<0 | 1>(),
})

const post = new Selection(channelPosts.omit('aside'))

/** A file that an agent sends to a chat, or the file with a long answer. */
const files = new Selection({
  name: text(),
  content: blob(),
  /** The platform's id of an uploaded file that nobody can see yet. */
  upload: text<string | null>(),
})

const fileBytes = new Selection({
  total: number('COALESCE(SUM(octet_length(content)), 0)'),
  ofChat: number('COALESCE(SUM(octet_length(content)) FILTER (WHERE source = ? AND chat = ?), 0)'),
})

const places = new Selection(channelPosts.pick('source', 'chat'))

/** The posts that failed in one chat, with the platform's error for the last of them. */
const failures = new Selection({
  chat: text(),
  posts: number('COUNT(*)'),
  problem: text(),
  /** When Iris tried to post the last of them, in milliseconds since the epoch. */
  at: number('created_at'),
  /** 1 if a later post in the chat succeeded. */
  isOver: number<0 | 1>(`MAX(id) > (
     SELECT COALESCE(MAX(id), 0) FROM channel_posts p WHERE p.source = f.source AND p.chat = f.chat AND state = 'posted'
   ) IS FALSE`),
})

export interface ChannelPostRow extends RowOf<typeof post> {}

export interface ChatFailureRow extends RowOf<typeof failures> {}

export interface ChannelFile extends RowOf<typeof files> {}

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
  /** 1 if this post does not wait for an unfinished answer. */
  readonly aside?: 0 | 1
}

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
      ofTurn: post.select(database, `FROM channel_posts WHERE turn = ? AND piece = 0`),
      setText: database.prepare('UPDATE channel_posts SET text = ? WHERE id = ?'),
      addPiece: database.prepare(
        `INSERT INTO channel_posts (source, chat, turn, place, piece, text, reply_to, created_at)
         VALUES (?, ?, ?, ?, ?, ?, NULL, ?)`,
      ),
      addAnswerFile: database.prepare(
        `INSERT INTO channel_posts (source, chat, turn, place, piece, created_at, aside) VALUES (?, ?, ?, ?, -1, ?, 1)`,
      ),
      next: post.select(
        database,
        `FROM channel_posts WHERE source = ? AND chat = ? AND aside = 0
           AND ${isOpen} ORDER BY place, piece LIMIT 1`,
      ),
      nextAside: post.select(
        database,
        `FROM channel_posts WHERE source = ? AND chat = ? AND aside = 1
           AND ${isOpen} ORDER BY place LIMIT 1`,
      ),
      addQuestion: database.prepare(
        `INSERT INTO channel_posts
           (source, chat, place, piece, text, created_at, permission, input_hash, token, mode, can_allow, aside)
         VALUES (?, ?, (SELECT COALESCE(MAX(place), 0) + 1 FROM channel_posts), 0, ?, ?, ?, ?, ?, ?, ?, 1)`,
      ),
      ofToken: post.select(database, `FROM channel_posts WHERE source = ? AND token = ?`),
      // A question that was never posted needs no text about its end.
      forgetQuestion: database.prepare(`DELETE FROM channel_posts WHERE permission = ? AND state = 'waiting'`),
      endQuestion: places.prepare(
        database,
        `UPDATE channel_posts SET outcome = ?, token = NULL, state = CASE state WHEN 'posted' THEN 'reserved' ELSE state END
         WHERE permission = ? AND outcome IS NULL RETURNING ${places.list}`,
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
      fileOf: files.select(database, 'FROM channel_files WHERE post = ?'),
      uploaded: database.prepare('UPDATE channel_files SET upload = ? WHERE post = ?'),
      bytesOf: fileBytes.select(database, 'FROM channel_files JOIN channel_posts ON id = post'),
      begin: database.prepare(`UPDATE channel_posts SET ${begun}, problem = ? WHERE id = ?`),
      ...prepareSums(database),
    }
  }

  /** Adds a post after all existing ones. */
  add({ source, chat, turn, text, replyTo, createdAt, aside = 0 }: NewPost): void {
    this.#statements.add.run(source, chat, turn, text, replyTo, createdAt, aside)
  }

  /** Adds a file after all existing posts. Runs in the caller's transaction. */
  addFile(post: Omit<NewPost, 'turn' | 'text' | 'aside'>, name: string, content: Uint8Array): void {
    this.add({ ...post, turn: null, text: null, aside: 1 })
    this.#statements.addFile.run(name, content)
  }

  /** The file of a post. Undefined for a text, and once the file is posted. */
  fileOf(id: number): ChannelFile | undefined {
    return this.#statements.fileOf.get(id)
  }

  /** Records that the platform has the content of a file. */
  uploaded(id: number, upload: string): void {
    this.#statements.uploaded.run(upload, id)
  }

  /** Bytes of the files that are not posted yet: in one chat, and in all chats. */
  fileBytes(source: string, chat: string): RowOf<typeof fileBytes> {
    return this.#statements.bytesOf.get(source, chat)!
  }

  /** Stores the answer to a turn, in pieces that the platform accepts. All pieces get the place of the turn's post. */
  answer(turn: string, pieces: readonly string[], at: number): void {
    const first = this.#statements.ofTurn.get(turn)
    if (first === undefined) return
    for (const [piece, text] of pieces.entries()) {
      if (piece === 0) this.#statements.setText.run(text, first.id)
      else this.#statements.addPiece.run(first.source, first.chat, turn, first.place, piece, text, at)
    }
  }

  /** Adds the file with a complete answer. Runs in the caller's transaction. */
  addAnswerFile(turn: string, name: string, content: Uint8Array, at: number): void {
    const first = this.#statements.ofTurn.get(turn)
    if (first === undefined) return
    this.#statements.addAnswerFile.run(first.source, first.chat, turn, first.place, at)
    this.#statements.addFile.run(name, content)
  }

  /**
   * Records that an answer's file was not posted, or may not have been, and adds the rest of the answer as further
   * pieces.
   */
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

  /** A chat's next post; undefined if there is none. */
  next(source: string, chat: string): ChannelPostRow | undefined {
    return this.#statements.next.get(source, chat)
  }

  /** Like `next`, for posts that do not wait for an unfinished answer. */
  nextAside(source: string, chat: string): ChannelPostRow | undefined {
    return this.#statements.nextAside.get(source, chat)
  }

  addQuestion(post: NewQuestionPost): void {
    const { source, chat, text, createdAt, permission, inputHash, token, mode, canAllow } = post
    this.#statements.addQuestion.run(
      ...[source, chat, text, createdAt, permission, inputHash, token, mode, canAllow ? 1 : 0],
    )
  }

  /** The post whose buttons contain this token; undefined once the post's question is over. */
  ofToken(source: string, token: string): QuestionPostRow | undefined {
    return this.#statements.ofToken.get(source, token) as QuestionPostRow | undefined
  }

  /** Replaces the posts of a question by the question's outcome. Returns their chats. */
  endQuestion(permission: string, outcome: string): RowOf<typeof places>[] {
    this.#statements.forgetQuestion.run(permission)
    return this.#statements.endQuestion.all(outcome, permission)
  }

  outcomeOf(id: number): string | null {
    return (this.#statements.outcomeOf.get(id)?.['outcome'] ?? null) as string | null
  }

  /** How many of Iris's own texts are waiting in a chat. */
  waitingOf(source: string, chat: string): number {
    return Number(this.#statements.waitingOf.get(source, chat)?.['count'])
  }

  /** The chats that have unfinished posts. */
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

  /** Starts a post from the beginning, because its message on the platform is gone or has this problem. */
  begin(id: number, problem: string | null = null): void {
    this.#statements.begin.run(problem, id)
  }

  counts(source: string): Readonly<Record<ChannelPostState, number>> {
    const none = { waiting: 0, sending: 0, reserved: 0, posted: 0, in_doubt: 0, failed: 0 }
    const rows = this.#statements.counts.all(source).map(({ state, count }) => [state, count])
    return { ...none, ...Object.fromEntries(rows) }
  }

  /** The chats where posts failed, the chat with the latest failure first. */
  failures(source: string, limit: number): readonly ChatFailureRow[] {
    return this.#statements.failures.all(source, limit)
  }
}

function prepareSums(database: DatabaseSync) {
  return {
    counts: database.prepare('SELECT state, COUNT(*) AS count FROM channel_posts WHERE source = ? GROUP BY state'),
    failures: failures.select(
      database,
      `FROM channel_posts f WHERE source = ? AND state = 'failed' GROUP BY chat ORDER BY MAX(id) DESC LIMIT ?`,
    ),
  }
}
