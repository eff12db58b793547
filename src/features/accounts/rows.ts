import type { Store } from '../../platform/store/store.ts'

/** What was last known of an account; times in milliseconds since the epoch. */
export interface AccountRow {
  /** A hash of what tells logins apart. */
  readonly account: string
  readonly limited: { readonly until: number; readonly window: string } | null
  readonly windows: readonly { readonly name: string; readonly utilization: number; readonly resetsAt: number }[]
  readonly seenAt: number
  /** When a message was first answered with its login; null: never. */
  readonly workedAt: number | null
}

/** The table `account_limits`. */
export class AccountRows {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#statements = {
      all: store.prepare(
        'SELECT account, limited, windows, seen_at AS seenAt, worked_at AS workedAt FROM account_limits ORDER BY seen_at',
      ),
      keep: store.prepare(
        `INSERT INTO account_limits (account, limited, windows, seen_at, worked_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (account) DO UPDATE SET limited = excluded.limited, windows = excluded.windows,
           seen_at = excluded.seen_at, worked_at = excluded.worked_at`,
      ),
    }
  }

  all(): AccountRow[] {
    return this.#statements.all.all().map((raw) => ({
      account: String(raw['account']),
      limited: JSON.parse(String(raw['limited'] ?? 'null')),
      windows: JSON.parse(String(raw['windows'])),
      seenAt: Number(raw['seenAt']),
      workedAt: raw['workedAt'] === null ? null : Number(raw['workedAt']),
    }))
  }

  /** A power cut may lose it: the next answer of the API says it again. */
  keep({ account, limited, windows, seenAt, workedAt }: AccountRow): void {
    const limit = limited && JSON.stringify(limited)
    this.#store.withoutSync(() => this.#statements.keep.run(account, limit, JSON.stringify(windows), seenAt, workedAt))
  }
}
