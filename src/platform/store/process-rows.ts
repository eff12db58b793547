import type { ProcessState } from '../../base/protocol/event.ts'
import { sessions } from './sessions.ts'
import type { Store } from './store.ts'
import { isStoreTrouble } from './store-trouble.ts'
import { type RowOf, Selection } from './table.ts'

/** An MCP server that was missing from a process. */
export interface MissingServerRow {
  readonly name: string
  readonly needsLogin: boolean
}

const left = new Selection(sessions.pick('id', 'to'))

/** A session whose process was, as far as an earlier daemon knew, still running. */
export interface LeftRow extends RowOf<typeof left> {}

/** What the store records about the processes of sessions, by the sessions' row ids. */
export class ProcessRows {
  readonly #statements

  constructor(store: Store) {
    this.#statements = {
      launched: store.prepare('UPDATE team_sessions SET launch_command = ?, team_config_snapshot = ? WHERE id = ?'),
      missServers: store.prepare(
        `UPDATE team_sessions
         SET team_config_snapshot = json_set(coalesce(team_config_snapshot, '{}'), '$.missingServers', json(?)) WHERE id = ?`,
      ),
      missingServers: store.prepare(
        `SELECT json_extract(team_config_snapshot, '$.missingServers') AS servers FROM team_sessions WHERE id = ?`,
      ),
      processState: store.prepare('UPDATE team_sessions SET process_state = ? WHERE id = ?'),
      hasProcess: store.prepare('INSERT INTO processes (session) VALUES (?) ON CONFLICT DO NOTHING'),
      hasNone: store.prepare('DELETE FROM processes WHERE session = ?'),
      left: left.select(store, 'FROM processes JOIN team_sessions ON team_sessions.id = processes.session'),
      allStopped: store.prepare(
        `UPDATE team_sessions SET process_state = 'stopped', current_cache_session_id = NULL
         WHERE id IN (SELECT session FROM processes)`,
      ),
      noneHasOne: store.prepare('DELETE FROM processes WHERE session NOT IN (SELECT value FROM json_each(?))'),
      leftHaveEnded: store.prepare(
        `DELETE FROM processes WHERE session IN (
           SELECT id FROM team_sessions WHERE id IN (SELECT value FROM json_each(?)) AND process_state = 'stopped')`,
      ),
    }
  }

  /**
   * Records the command line of a process start, redacted by the caller, and the team's settings at that time (JSON).
   */
  launched(id: number, launchCommand: string, teamConfigSnapshot: string): void {
    forReaders(() => this.#statements.launched.run(launchCommand, teamConfigSnapshot, id))
  }

  /** Records which MCP servers the process does not have. The session's next process start clears this record. */
  missServers(id: number, servers: readonly MissingServerRow[]): void {
    forReaders(() => this.#statements.missServers.run(JSON.stringify(servers), id))
  }

  /** The servers that the session's last process reported as missing, even if an earlier daemon started it. */
  missingServersOf(id: number): readonly MissingServerRow[] {
    const servers = this.#statements.missingServers.get(id)?.['servers']
    return typeof servers === 'string' ? (JSON.parse(servers) as MissingServerRow[]) : []
  }

  mirrorState(id: number, state: ProcessState): void {
    const { hasProcess, hasNone, processState } = this.#statements
    forReaders(() => {
      if (state !== 'stopped') hasProcess.run(id)
      processState.run(state, id)
      if (state === 'stopped') hasNone.run(id)
    })
  }

  left(): readonly LeftRow[] {
    return this.#statements.left.all()
  }

  /**
   * Call when Iris starts. Of an earlier daemon's processes, only those of the sessions in `elsewhere` may still be
   * alive, on other machines.
   */
  mirrorAllStopped(elsewhere: readonly number[]): void {
    this.#statements.allStopped.run()
    this.#statements.noneHasOne.run(JSON.stringify(elsewhere))
  }

  /**
   * Records that an earlier daemon's processes for these sessions have ended. Processes that this daemon has since
   * started are not affected.
   */
  leftHaveEnded(ids: readonly number[]): void {
    forReaders(() => this.#statements.leftHaveEnded.run(JSON.stringify(ids)))
  }
}

/** Ignores store trouble: no message depends on these rows. */
function forReaders(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!isStoreTrouble(error)) throw error
  }
}
