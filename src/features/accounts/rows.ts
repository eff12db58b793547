import type { Store } from '../../platform/store/store.ts'
import { json, number, type RowOf, Table, text } from '../../platform/store/table.ts'

/** The last known state of accounts; times in milliseconds since the epoch. */
export const accountLimits = new Table('account_limits', {
  /** A hash of what distinguishes logins. */
  account: text(),
  limited: json<{ readonly until: number; readonly window: string } | null>(),
  windows: json<readonly { readonly name: string; readonly utilization: number; readonly resetsAt: number }[]>(),
  seenAt: number(),
  /** When a message was first answered with this account's login; null if never. */
  workedAt: number<number | null>(),
})

export interface AccountRow extends RowOf<typeof accountLimits> {}

/** The table `account_limits`. */
export class AccountRows {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    this.#statements = {
      all: accountLimits.select(store, 'FROM account_limits ORDER BY seen_at'),
      keep: accountLimits.insert(
        store,
        accountLimits.columns,
        `ON CONFLICT (account) DO UPDATE SET limited = excluded.limited, windows = excluded.windows,
           seen_at = excluded.seen_at, worked_at = excluded.worked_at`,
      ),
    }
  }

  all(): AccountRow[] {
    return this.#statements.all.all()
  }

  /** A power cut may lose this write, but the API's next answer repeats it. */
  keep(row: AccountRow): void {
    this.#store.withoutSync(() => this.#statements.keep.run(row))
  }
}
