import { isStoreTrouble } from './store-trouble.ts'
import type { Store } from './store.ts'

/** An MCP server that a process did not have. */
export interface MissingServerRow {
  readonly name: string
  readonly needsLogin: boolean
}

/** Which MCP servers the last process of each session did not have, beside the settings of its start. */
export class MissingServerRows {
  readonly #statements

  constructor(store: Store) {
    this.#statements = {
      put: store.prepare(
        `UPDATE team_sessions
         SET team_config_snapshot = json_set(coalesce(team_config_snapshot, '{}'), '$.missingServers', json(?)) WHERE id = ?`,
      ),
      of: store.prepare(
        `SELECT json_extract(team_config_snapshot, '$.missingServers') AS servers FROM team_sessions WHERE id = ?`,
      ),
    }
  }

  /** The next start of a process of the session forgets them. */
  put(session: number, servers: readonly MissingServerRow[]): void {
    try {
      this.#statements.put.run(JSON.stringify(servers), session)
    } catch (error) {
      // An answer without this note is worth more than none.
      if (!isStoreTrouble(error)) throw error
    }
  }

  of(session: number): readonly MissingServerRow[] {
    const servers = this.#statements.of.get(session)?.['servers']
    return typeof servers === 'string' ? (JSON.parse(servers) as MissingServerRow[]) : []
  }
}
