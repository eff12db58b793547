import type { DatabaseSync } from 'node:sqlite'
import type { ProcessState } from '../protocol/event.ts'
import type { Pair } from '../protocol/party.ts'
import { isStoreTrouble } from './store-trouble.ts'

/** How a conversation came about: by itself, or out of another one. */
export type Origin = 'new' | 'reset' | 'fork' | 'rotation' | 'taken_over' | 'adopted' | 'rebuilt'

export interface SessionRow extends Pair {
  readonly id: number
  /** Claude Code's own id of the conversation. */
  readonly sessionId: string
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly messageCount: number
  readonly status: 'active' | 'compact_pending' | 'archived'
  readonly lastAnsweredDelivery: string | null
  readonly origin: Origin
  /** Claude Code's id of the conversation it came out of. */
  readonly originSession: string | null
  /** For a fork: the last message it shares with that one; null: all of it. */
  readonly originMessage: string | null
  /** What it takes of the model's window, tokens, as the CLI said last. */
  readonly contextTokens: number | null
  readonly contextWindow: number | null
  /** Milliseconds since the epoch; null while Claude Code's transcript is where it should be. */
  readonly transcriptMissingSince: number | null
}

/** A conversation to be: its id, and what it comes out of. */
export interface NewSession {
  readonly sessionId: string
  readonly origin: Origin
  readonly originSession: string | null
  readonly originMessage: string | null
}

const columns = `id, from_team AS "from", to_team AS "to", thread, session_id AS sessionId, created_at AS createdAt,
  last_used_at AS lastUsedAt, message_count AS messageCount, status, last_answered_delivery AS lastAnsweredDelivery,
  origin, origin_session AS originSession, origin_message AS originMessage, context_tokens AS contextTokens,
  context_window AS contextWindow, transcript_missing_since AS transcriptMissingSince`

/** The table `team_sessions`: rows in, rows out. */
export class SessionRows {
  readonly #statements

  constructor(database: DatabaseSync) {
    this.#statements = {
      live: database.prepare(
        `SELECT ${columns} FROM team_sessions WHERE from_team = ? AND to_team = ? AND thread = ? AND status <> 'archived'`,
      ),
      byId: database.prepare(`SELECT ${columns} FROM team_sessions WHERE id = ?`),
      ofTeam: database.prepare(
        `SELECT ${columns} FROM team_sessions WHERE to_team = ? AND status <> 'archived' ORDER BY last_used_at DESC LIMIT ?`,
      ),
      create: database.prepare(
        `INSERT INTO team_sessions (
           from_team, to_team, thread, session_id, created_at, last_used_at, origin, origin_session, origin_message
         ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${columns}`,
      ),
      archive: database.prepare(
        `UPDATE team_sessions SET status = 'archived', archived_at = ?, archived_why = ? WHERE id = ?`,
      ),
      launched: database.prepare('UPDATE team_sessions SET launch_command = ?, team_config_snapshot = ? WHERE id = ?'),
      processState: database.prepare('UPDATE team_sessions SET process_state = ? WHERE id = ?'),
      allStopped: database.prepare(
        `UPDATE team_sessions SET process_state = 'stopped', current_cache_session_id = NULL WHERE process_state <> 'stopped'`,
      ),
    }
  }

  live({ from, to, thread }: Pair): SessionRow | undefined {
    return this.#statements.live.get(from, to, thread) as SessionRow | undefined
  }

  byId(id: number): SessionRow | undefined {
    return this.#statements.byId.get(id) as SessionRow | undefined
  }

  /** The live sessions in which `team` answers, the last used first. */
  ofTeam(team: string, limit: number): SessionRow[] {
    return this.#statements.ofTeam.all(team, limit) as unknown as SessionRow[]
  }

  create({ from, to, thread }: Pair, made: NewSession, at: number): SessionRow {
    const { sessionId, origin, originSession, originMessage } = made
    const { create } = this.#statements
    return create.get(
      from,
      to,
      thread,
      sessionId,
      at,
      at,
      origin,
      originSession,
      originMessage,
    ) as unknown as SessionRow
  }

  archive(id: number, why: string, at: number): void {
    this.#statements.archive.run(at, why, id)
  }

  /** How the process was started, redacted by the caller, and with which settings of the team. */
  launched(id: number, launchCommand: string, teamConfigSnapshot: string): void {
    forReaders(() => this.#statements.launched.run(launchCommand, teamConfigSnapshot, id))
  }

  mirrorProcessState(id: number, state: ProcessState): void {
    forReaders(() => this.#statements.processState.run(state, id))
  }

  /** After a start no process of a former daemon is left. */
  mirrorAllStopped(): void {
    this.#statements.allStopped.run()
  }
}

/** Nothing is decided from it, so nothing fails when the store does not take it. */
function forReaders(write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!isStoreTrouble(error)) throw error
  }
}
