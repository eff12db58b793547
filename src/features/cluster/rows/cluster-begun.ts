import type { Store } from '../../../platform/store/store.ts'
import { flag, number, type RowOf, Selection, Table, text } from '../../../platform/store/table.ts'

/** The asker's records of turns that several hosts of a team may answer. */
export const clusterBegun = new Table('cluster_begun', {
  sequence: number(),
  turn: text(),
  /** The last host that took the turn. */
  host: text(),
  /** The log with the last record about the turn, and that record's number; null if not known. */
  log: text<string | null>(),
  record: number<number | null>(),
  /** Whether this host has received a line of the turn. */
  heard: flag(),
  /**
   * The time since which only `host` may continue the turn, milliseconds since the epoch; null if other hosts may
   * continue it too.
   */
  waitsSince: number<number | null>(),
})

const begun = new Selection(clusterBegun.omit('sequence'))

/** The last record of a log. */
const ends = new Selection({
  number: number(),
  /** SHA-256, hex. */
  hash: text(),
})

export interface BegunRow extends RowOf<typeof begun> {}

export interface LogEnd extends RowOf<typeof ends> {}

/** The limit for rows that were left over because the end of their turns did not remove them. */
const most = 10_000

/**
 * Records that are kept outside the NATS servers, to detect losses there. Writes do not wait for the disk: a power cut
 * on this machine may lose the last rows, but a crash of Iris loses none.
 */
export class ClusterBegunRows {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#statements = {
      of: begun.select(store, 'FROM cluster_begun WHERE turn = ?'),
      put: clusterBegun.insert(
        store,
        begun.columns,
        `ON CONFLICT (turn) DO UPDATE SET host = excluded.host, log = excluded.log, record = excluded.record,
           heard = excluded.heard, waits_since = excluded.waits_since`,
      ),
      remove: store.prepare('DELETE FROM cluster_begun WHERE turn = ?'),
      forget: store.prepare(
        `DELETE FROM cluster_begun WHERE sequence <= (SELECT max(sequence) FROM cluster_begun) - ${most}`,
      ),
      log: ends.select(store, 'FROM cluster_logs WHERE team = ? AND conversation = ?'),
      putLog: store.prepare(
        'INSERT OR REPLACE INTO cluster_logs (team, conversation, number, hash) VALUES (?, ?, ?, ?)',
      ),
      removeLog: store.prepare('DELETE FROM cluster_logs WHERE team = ? AND conversation = ?'),
    }
  }

  of(turn: string): BegunRow | undefined {
    return this.#statements.of.get(turn)
  }

  put(row: BegunRow): void {
    this.#store.withoutSync(() => {
      this.#statements.put.run(row)
      this.#statements.forget.run()
    })
  }

  /** Called when the turn has ended. */
  remove(turn: string): void {
    this.#store.withoutSync(() => this.#statements.remove.run(turn))
  }

  /** The end of the log when this host last led it; undefined if this host has never led it. */
  logEnd(team: string, conversation: string): LogEnd | undefined {
    return this.#statements.log.get(team, conversation)
  }

  /** `end` is undefined if the log no longer exists. */
  putLogEnd(team: string, conversation: string, end: LogEnd | undefined): void {
    this.#store.withoutSync(() => {
      if (end === undefined) this.#statements.removeLog.run(team, conversation)
      else this.#statements.putLog.run(team, conversation, end.number, end.hash)
    })
  }
}
