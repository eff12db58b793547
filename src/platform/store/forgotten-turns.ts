import { transaction } from './database.ts'
import { sessions } from './sessions.ts'
import type { Store } from './store.ts'
import { type RowOf, Selection, text } from './table.ts'

/** How many turns are deleted in one transaction, which blocks the daemon for a few milliseconds. */
const atOnce = 25
/** How many pages of the file one transaction gives back to the disk. */
const pagesAtOnce = 500

/** Tables whose rows are deleted with their turn, although no foreign key refers to it. */
const withoutKey = [
  'watched_answers',
  'file_collisions',
  'overtaken_turns',
  'cluster_asks',
  'cluster_asked',
  'cluster_cancels',
]

/**
 * Tables in which each row belongs to one turn and refers to it in the column `turn`. `permissions` is handled
 * separately, because a rule in force refers to the question from which it came.
 */
const withKey = `SELECT tables.name AS name FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys
  WHERE tables.type = 'table' AND tables.name <> 'permissions' AND keys."table" = 'turns' AND keys."from" = 'turn'`

/**
 * A turn of any age is kept while its work is unfinished, while its answer has not been delivered to a chat or another
 * host, and while a turn that it caused exists. The newest turn is kept too, so that no sequence number is used twice.
 */
const isFree = `state = 'settled' AND settled_at < ?2 AND sequence < (SELECT MAX(sequence) FROM turns)
  AND NOT EXISTS (SELECT 1 FROM channel_messages WHERE channel_messages.turn = turns.id AND channel_messages.state = 'asked')
  AND NOT EXISTS (SELECT 1 FROM cluster_asks WHERE cluster_asks.turn = turns.id AND answered = 0)`

const emptySessions = new Selection({ team: text('to_team'), ...sessions.pick('sessionId') })

/** A conversation whose transcripts still exist. */
export interface ConversationLeft {
  readonly sessionId: string
  /**
   * Its first turn that was delivered, named by the uuid of the turn's first delivery; undefined if no turn was
   * delivered.
   */
  readonly first: { readonly delivery: string; readonly acceptedAt: number } | undefined
}

/** One pass over the turns, from the newest to the oldest; a turn is visited after those that it caused. */
export interface PruningPass {
  /**
   * Deletes the next turns that are old enough. Returns how many it deleted, or undefined once the oldest turn has been
   * visited.
   */
  next(): number | undefined
}

/** Deletes old turns with everything that belongs to them, and the texts of deleted conversations. */
export class ForgottenTurns {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    const keyed = store.prepare(withKey).all()
    const tablesOfTurn = [...keyed.map(({ name }) => String(name)), ...withoutKey]
    const questions = 'permissions WHERE turn = ?1 AND'
    const isGranted = 'EXISTS (SELECT 1 FROM permission_grants WHERE permission = permissions.id)'
    const emptied = "turn = NULL, input = '{}', suggestions = '[]', updated_input = NULL, message = NULL"
    const ofSession = '(SELECT id FROM team_sessions WHERE session_id = ?1)'
    this.#statements = {
      belongings: [
        ...tablesOfTurn.map((table) => store.prepare(`DELETE FROM ${table} WHERE turn = ?1`)),
        store.prepare(`DELETE FROM ${questions} NOT ${isGranted}`),
        store.prepare(`UPDATE permissions SET ${emptied} WHERE turn = ?1 AND ${isGranted}`),
        store.prepare('UPDATE channel_messages SET text = NULL WHERE turn = ?1'),
        store.prepare(
          "UPDATE channel_posts SET text = NULL WHERE turn = ?1 AND state IN ('posted', 'in_doubt', 'failed')",
        ),
      ],
      old: store.prepare(
        `SELECT sequence, id FROM turns WHERE sequence < ?1 AND ${isFree} ORDER BY sequence DESC LIMIT ${atOnce}`,
      ),
      child: store.prepare('SELECT 1 FROM turns WHERE parent_turn = ? LIMIT 1'),
      remove: store.prepare('DELETE FROM turns WHERE id = ?'),
      budgets: store.prepare(
        `DELETE FROM shared_budgets WHERE accepted_at < ?1
           AND NOT EXISTS (SELECT 1 FROM turns WHERE shared_budget = shared_budgets.id)`,
      ),
      contents: store.prepare(
        `DELETE FROM attachment_contents WHERE sha256 NOT IN (
           SELECT file.value ->> 'sha256' FROM turns, json_each(turns.attachments) AS file
           WHERE turns.attachments IS NOT NULL AND file.value ->> 'sha256' IS NOT NULL)`,
      ),
      empty: emptySessions.select(
        store,
        `FROM team_sessions
         WHERE status = 'archived' AND dormant = 0 AND archived_at < ? AND transcript_missing_since IS NULL
           AND NOT EXISTS (SELECT 1 FROM turns WHERE session = team_sessions.id)`,
      ),
      conversations: store.prepare(
        `SELECT id, session_id FROM team_sessions
         WHERE id > ? AND transcript_missing_since IS NULL ORDER BY id LIMIT ${atOnce}`,
      ),
      // Turns can overtake each other, but the turn that was delivered first is near the beginning.
      first: store.prepare(
        `SELECT id, accepted_at FROM (
           SELECT id, accepted_at, dispatched_at FROM turns
           WHERE session = ? AND dispatched_at IS NOT NULL ORDER BY sequence LIMIT 100)
         ORDER BY dispatched_at LIMIT 1`,
      ),
      isThere: store.prepare('SELECT 1 FROM turns WHERE id = ?'),
      missing: store.prepare(
        'UPDATE team_sessions SET transcript_missing_since = ?2, summary = NULL WHERE session_id = ?1',
      ),
      ofSession: store.prepare(`SELECT id FROM turns WHERE session = ${ofSession}`),
      erase: store.prepare(
        `UPDATE turns SET message = '(deleted)', answer = NULL, partial = NULL, detail = NULL, value = NULL,
           response_schema = NULL, background = NULL WHERE id = ?1`,
      ),
      eraseSession: store.prepare(
        'UPDATE team_sessions SET summary = NULL, launch_command = NULL, team_config_snapshot = NULL WHERE session_id = ?1',
      ),
      eraseQuestions: store.prepare(
        `UPDATE permissions SET input = '{}', suggestions = '[]', updated_input = NULL, message = NULL
         WHERE session = ${ofSession} AND state <> 'pending'`,
      ),
    }
  }

  /** A pass over the turns that had ended before `before`, milliseconds since the epoch. */
  pass(before: number): PruningPass {
    const { old, child, remove } = this.#statements
    let place = Number.MAX_SAFE_INTEGER
    return {
      next: () => {
        const turns = old.all(place, before)
        if (turns.length === 0) return undefined
        place = Number(turns.at(-1)!['sequence'])
        return this.#write(() => {
          const free = turns
            .map(({ id }) => String(id))
            .filter((id) => {
              // The turns are deleted one after the other: a turn that caused others in this batch becomes free once
              // those are deleted.
              if (child.get(id) !== undefined) return false
              this.#removeBelongings(id)
              remove.run(id)
              return true
            })
          return free.length
        })
      },
    }
  }

  /** Deletes budgets and files to which no turn refers any more. Call it after a pass that deleted turns. */
  sweep(before: number): void {
    this.#write(() => {
      this.#statements.budgets.run(before)
      this.#statements.contents.run()
    })
  }

  /** Archived conversations that have no turns any more but whose files still exist. */
  emptySessions(before: number): RowOf<typeof emptySessions>[] {
    return this.#statements.empty.all(before)
  }

  /** Notes that the files of a conversation were deleted. */
  filesDeleted(sessionId: string, at: number): void {
    this.#statements.missing.run(sessionId, at)
  }

  /** The conversations whose transcripts still exist. They are read one by one, as the caller asks for them. */
  *conversations(): Generator<ConversationLeft> {
    const { conversations, first } = this.#statements
    for (let place = 0; ; ) {
      const rows = conversations.all(place)
      if (rows.length === 0) return
      for (const { id, session_id: sessionId } of rows) {
        place = Number(id)
        const turn = first.get(place)
        yield {
          sessionId: String(sessionId),
          first: turn && { delivery: String(turn['id']), acceptedAt: Number(turn['accepted_at']) },
        }
      }
    }
  }

  isThere(turnId: string): boolean {
    return this.#statements.isThere.get(turnId) !== undefined
  }

  /** Gives free pages back to the disk. Returns whether there are more; false if the store cannot shrink. */
  shrink(): boolean {
    const free = (): number => Number(this.#store.prepare('PRAGMA freelist_count').get()!['freelist_count'])
    const before = free()
    if (before === 0) return false
    this.#store.prepare(`PRAGMA incremental_vacuum(${pagesAtOnce})`).all()
    const after = free()
    return after > 0 && after < before
  }

  /**
   * Deletes the texts of a conversation for good: messages, answers, reports, tools, questions. Its turns remain as
   * rows without text, but with their times and figures. The conversation must have ended.
   */
  forgetSession(sessionId: string): void {
    const { ofSession, erase, eraseSession, eraseQuestions } = this.#statements
    const ids = ofSession.all(sessionId).map(({ id }) => String(id))
    for (let at = 0; at < ids.length; at += atOnce) {
      this.#write(() => {
        for (const id of ids.slice(at, at + atOnce)) {
          this.#removeBelongings(id)
          erase.run(id)
        }
      })
    }
    this.#write(() => {
      eraseSession.run(sessionId)
      eraseQuestions.run(sessionId)
    })
    // The log contains the old pages until it is written into the file.
    this.#store.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  }

  #removeBelongings(turn: string): void {
    for (const statement of this.#statements.belongings) statement.run(turn)
  }

  #write<T>(work: () => T): T {
    return transaction(this.#store, work)
  }
}
