import type { Pair } from '../../../base/protocol/pair.ts'
import { Pruning } from '../../../platform/store/pruning.ts'
import { sessions } from '../../../platform/store/sessions.ts'
import type { Store } from '../../../platform/store/store.ts'
import { json, number, type RowOf, Selection, Table, text } from '../../../platform/store/table.ts'
import { toolStarts } from '../../../platform/store/tool-starts.ts'

/** A file on which an answer relies. The hash is null if the file did not exist. */
export type KeptFile = readonly [name: string, hash: string | null]

/** Answers that may be given again. Times are milliseconds since the epoch. */
export const keptAnswers = new Table('kept_answers', {
  turn: text(),
  /** A hash that is the same for the same question under the same settings. */
  key: text(),
  /** The commit that was checked out; null if there was none. */
  head: text<string | null>(),
  files: json<readonly KeptFile[]>(),
  notedAt: number(),
  /** How often the answer was given again, and when it was last. */
  given: number(),
  givenAt: number<number | null>(),
})

const kept = new Selection(keptAnswers.omit('given', 'givenAt'))

/** A kept answer, with the id of its conversation. */
const found = new Selection({ ...kept.columns, ...sessions.pick('sessionId') })

/** A tool that the conversation has used; its input summary may be cut. */
const earlierTools = new Selection(toolStarts.pick('name', 'inputShort'))

/** How often an answer was given again. */
const givenAgain = new Selection({ times: number('given'), lastAt: number<number | null>('given_at') })

/** What answers that were given again have saved. */
const saved = new Selection({
  times: number('coalesce(sum(given), 0)'),
  costUsd: number(`coalesce(sum(given * (usage ->> 'costUsd')), 0)`),
  savedMs: number('coalesce(sum(given * (settled_at - accepted_at)), 0)'),
})

export interface KeptAnswerRow extends RowOf<typeof kept> {}

export interface FoundAnswer extends RowOf<typeof found> {}

export interface EarlierTool extends RowOf<typeof earlierTools> {}

export interface GivenAgain extends RowOf<typeof givenAgain> {}

export interface SavedByAnswers extends RowOf<typeof saved> {}

/** The table `kept_answers`. */
export class KeptAnswerRows {
  readonly #store: Store
  readonly #pruning: Pruning
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#pruning = new Pruning(store, 'kept_answers', { mostRows: 10_000, oldestMs: 60 * 86_400_000 })
    this.#statements = {
      add: keptAnswers.insert(store, kept.columns, 'ON CONFLICT DO NOTHING'),
      newest: found.select(
        store,
        `FROM kept_answers
         JOIN turns ON turns.id = kept_answers.turn JOIN team_sessions ON team_sessions.id = turns.session
         WHERE from_team = ? AND to_team = ? AND thread = ? AND status <> 'archived' AND key = ? AND noted_at >= ?
         ORDER BY turns.sequence DESC LIMIT 1`,
      ),
      // Also finds waiting notices, because these are delivered before the question.
      toldSince: store.prepare(
        `SELECT 1 FROM turns AS kept JOIN turns AS other ON other.session = kept.session AND other.id <> kept.id
         WHERE kept.id = ?1 AND (other.state <> 'settled' OR other.dispatched_at > kept.dispatched_at
           OR (other.dispatched_at = kept.dispatched_at AND other.sequence > kept.sequence))
         UNION ALL
         SELECT 1 FROM turns AS kept JOIN team_sessions ON team_sessions.id = kept.session
         JOIN notices USING (from_team, to_team, thread)
         WHERE kept.id = ?1 AND notices.turn IS NULL AND notices.expires_at > ?2
         LIMIT 1`,
      ),
      lastDelivery: store.prepare('SELECT uuid FROM deliveries WHERE turn = ? ORDER BY sequence DESC LIMIT 1'),
      toolsOfConversation: earlierTools.prepare(
        store,
        `SELECT DISTINCT ${earlierTools.list} FROM tool_starts JOIN turns ON turns.id = tool_starts.turn
         WHERE turns.session = (SELECT session FROM turns WHERE id = ?)`,
      ),
      otherModel: store.prepare('SELECT 1 FROM model_changes WHERE turn = ?'),
      modelOf: store.prepare(
        `SELECT model FROM team_sessions WHERE from_team = ? AND to_team = ? AND thread = ? AND status <> 'archived'`,
      ),
      given: store.prepare('UPDATE kept_answers SET given = given + 1, given_at = ? WHERE turn = ?'),
      of: givenAgain.select(store, 'FROM kept_answers WHERE turn = ?'),
      saved: saved.select(store, 'FROM kept_answers JOIN turns ON turns.id = kept_answers.turn WHERE given_at >= ?'),
    }
  }

  add(row: KeptAnswerRow): void {
    // Written without a disk sync: a power cut may lose the last rows.
    this.#store.withoutSync(() => {
      this.#statements.add.run(row)
      this.#pruning.added(row.notedAt)
    })
  }

  /** The newest answer to this question in the pair's conversation. */
  newest({ from, to, thread }: Pair, key: string, since: number): FoundAnswer | undefined {
    return this.#statements.newest.get(from, to, thread, key, since)
  }

  /** Whether another message has reached the conversation after this turn, or is waiting to. */
  isToldSince(turn: string, now: number): boolean {
    return this.#statements.toldSince.get(turn, now) !== undefined
  }

  /** The uuid under which this turn's message was last delivered to Claude Code. */
  lastDelivery(turn: string): string {
    return (this.#statements.lastDelivery.get(turn) as { uuid: string } | undefined)?.uuid ?? turn
  }

  /** The tools that this turn's conversation has used so far. */
  toolsOfConversation(turn: string): readonly EarlierTool[] {
    return this.#statements.toolsOfConversation.all(turn)
  }

  /** Whether another model than that of the conversation has answered this turn. */
  hasOtherModel(turn: string): boolean {
    return this.#statements.otherModel.get(turn) !== undefined
  }

  /** The model of the pair's conversation; null if it is the default one, or if there is no conversation yet. */
  modelOf({ from, to, thread }: Pair): string | null {
    return (this.#statements.modelOf.get(from, to, thread) as { model: string | null } | undefined)?.model ?? null
  }

  given(turn: string, at: number): void {
    this.#store.withoutSync(() => this.#statements.given.run(at, turn))
  }

  of(turn: string): GivenAgain | undefined {
    return this.#statements.of.get(turn)
  }

  /** How often answers were given again since `since`, what those answers had cost, and how long they had taken. */
  saved(since: number): SavedByAnswers {
    return this.#statements.saved.get(since)!
  }
}
