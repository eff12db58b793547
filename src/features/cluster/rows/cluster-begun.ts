import type { Store } from '../../../platform/store/store.ts'

/** What an asker knows of a turn that hosts with the same team may answer. */
export interface BegunRow {
  readonly turn: string
  /** The one that took it last. */
  readonly host: string
  /** The log that has what was last done of it, and the number of that record; null: not known. */
  readonly log: string | null
  readonly record: number | null
  /** Whether a line of it was heard. */
  readonly heard: boolean
  /** Since when nobody but `host` may go on with it, milliseconds since the epoch; null: others may. */
  readonly waitsSince: number | null
}

/** The last record of a log. */
export interface LogEnd {
  readonly number: number
  /** SHA-256, hex. */
  readonly hash: string
}

/** What turns that ended in another way left behind. */
const most = 10_000

/**
 * What is remembered outside of the servers between hosts, so that a loss there is found. Nothing waits for the disk: a
 * power cut of this machine may lose the last rows, and a crash of Iris loses none.
 */
export class ClusterBegunRows {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#statements = {
      of: store.prepare(
        'SELECT turn, host, log, record, heard, waits_since AS waitsSince FROM cluster_begun WHERE turn = ?',
      ),
      put: store.prepare(
        `INSERT INTO cluster_begun (turn, host, log, record, heard, waits_since) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (turn) DO UPDATE SET host = excluded.host, log = excluded.log, record = excluded.record,
           heard = excluded.heard, waits_since = excluded.waits_since`,
      ),
      remove: store.prepare('DELETE FROM cluster_begun WHERE turn = ?'),
      forget: store.prepare(
        `DELETE FROM cluster_begun WHERE sequence <= (SELECT max(sequence) FROM cluster_begun) - ${most}`,
      ),
      log: store.prepare('SELECT number, hash FROM cluster_logs WHERE team = ? AND conversation = ?'),
      putLog: store.prepare(
        'INSERT OR REPLACE INTO cluster_logs (team, conversation, number, hash) VALUES (?, ?, ?, ?)',
      ),
      removeLog: store.prepare('DELETE FROM cluster_logs WHERE team = ? AND conversation = ?'),
    }
  }

  of(turn: string): BegunRow | undefined {
    const row = this.#statements.of.get(turn)
    return row && ({ ...row, heard: row['heard'] === 1 } as unknown as BegunRow)
  }

  put({ turn, host, log, record, heard, waitsSince }: BegunRow): void {
    this.#store.withoutSync(() => {
      this.#statements.put.run(turn, host, log, record, heard ? 1 : 0, waitsSince)
      this.#statements.forget.run()
    })
  }

  /** The turn has ended. */
  remove(turn: string): void {
    this.#store.withoutSync(() => this.#statements.remove.run(turn))
  }

  /** Where the log ended when this host last led it; undefined: it never has. */
  logEnd(team: string, conversation: string): LogEnd | undefined {
    return this.#statements.log.get(team, conversation) as LogEnd | undefined
  }

  /** `end` undefined: there is no log any more. */
  putLogEnd(team: string, conversation: string, end: LogEnd | undefined): void {
    this.#store.withoutSync(() => {
      if (end === undefined) this.#statements.removeLog.run(team, conversation)
      else this.#statements.putLog.run(team, conversation, end.number, end.hash)
    })
  }
}
