import { addUsage } from '../../base/protocol/add-usage.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { BackgroundCommand, Usage } from '../../base/protocol/turn.ts'
import { transaction } from './database.ts'
import type { Store } from './store.ts'

/** What Claude Code said by itself after a turn. */
export interface ReportRow {
  readonly turn: string
  /** Of Claude Code's line, or of the task that ended with its process. */
  readonly uuid: string
  /** What the agent said; for `ended`, the command that ended with its process and that nobody reported. */
  readonly text: string
  readonly kind: 'said' | 'ended'
  /** Null: the usage is part of the result of a message. */
  readonly usage: Usage | null
  /** Milliseconds since the epoch. */
  readonly reportedAt: number
}

/** A report with what was asked. */
export interface ReportToPush extends Pair {
  readonly turn: string
  readonly text: string
  readonly message: string
}

/** A settled turn that left commands running. */
export interface TurnWithCommands {
  readonly id: string
  readonly session: number
  readonly background: readonly BackgroundCommand[]
  /** When the last turn of its session ended, milliseconds since the epoch. */
  readonly lastEndAt: number
}

/** A tool that Claude Code started in a turn of its own. */
export interface ReportTool {
  readonly toolUseId: string
  readonly turn: string
  readonly name: string
  /** The input in short, without secrets. */
  readonly inputShort: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** In how many of the last turns of a session `ownerOf` looks for a tool use. */
const turnsSearched = 1000

/** In how many of the last turns `withCommands` looks. */
const turnsLookedAt = 10_000

const columns = 'turn, uuid, text, kind, usage, reported_at AS reportedAt'

/** The tables `reports` and `report_tools`. */
export class Reports {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    const turns = `(SELECT id FROM turns WHERE session = ?1 ORDER BY sequence DESC LIMIT ${turnsSearched})`
    this.#statements = {
      owner: store.prepare(
        `SELECT turn FROM report_tools WHERE tool_use_id = ?2 AND turn IN ${turns}
         UNION ALL SELECT turn FROM tool_starts WHERE turn IN ${turns} AND tool_use_id = ?2 LIMIT 1`,
      ),
      add: store.prepare(
        `INSERT INTO reports (turn, uuid, text, kind, usage, reported_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ),
      addTool: store.prepare(
        `INSERT INTO report_tools (tool_use_id, turn, name, input_short, started_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ),
      changedTool: store.prepare('UPDATE report_tools SET input_short = ? WHERE tool_use_id = ?'),
      cost: store.prepare(
        'UPDATE team_sessions SET cost_usd = cost_usd + ? WHERE id = (SELECT session FROM turns WHERE id = ?)',
      ),
      usageOf: store.prepare(`SELECT usage FROM turns WHERE id = ? AND state = 'settled'`),
      setUsage: store.prepare('UPDATE turns SET usage = ? WHERE id = ?'),
      uncounted: store.prepare('SELECT usage FROM reports WHERE turn = ? AND counted = 0 AND usage IS NOT NULL'),
      counted: store.prepare('UPDATE reports SET counted = 1 WHERE turn = ? AND counted = 0'),
      of: store.prepare(
        `SELECT ${columns} FROM reports WHERE turn IN (SELECT value FROM json_each(?)) AND text <> '' ORDER BY sequence`,
      ),
      toolsOf: store.prepare(
        `SELECT tool_use_id AS toolUseId, turn, name, input_short AS inputShort, started_at AS startedAt FROM report_tools
         WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY started_at LIMIT ?`,
      ),
      unread: store.prepare(
        `SELECT ${columns} FROM reports WHERE read_at IS NULL AND text <> '' AND turn IN (
           SELECT turns.id FROM turns JOIN team_sessions ON team_sessions.id = turns.session
           WHERE from_team = ? AND to_team = ? AND thread = ?) ORDER BY reports.sequence`,
      ),
      toPush: store.prepare(
        `SELECT reports.turn AS turn, reports.text AS text, from_team AS "from", to_team AS "to", thread, message FROM reports
         JOIN turns ON turns.id = reports.turn JOIN team_sessions ON team_sessions.id = session
         WHERE read_at IS NULL AND kind = 'said' AND text <> '' AND reports.turn IN (SELECT value FROM json_each(?))
         ORDER BY reports.sequence`,
      ),
      withCommands: store.prepare(
        `SELECT id, session, background,
           (SELECT max(settled_at) FROM turns AS later WHERE later.session = turns.session) AS lastEndAt
         FROM turns WHERE background IS NOT NULL AND settled_at >= ?
         AND sequence > (SELECT max(sequence) FROM turns) - ${turnsLookedAt} ORDER BY sequence DESC LIMIT ?`,
      ),
      read: store.prepare('UPDATE reports SET read_at = ? WHERE turn = ? AND read_at IS NULL'),
    }
  }

  /** The turn of this session that started the tool, directly or in a report; undefined if it is not known. */
  ownerOf(session: number, toolUseId: string): string | undefined {
    const row = this.#statements.owner.get(session, toolUseId)
    return row && String(row['turn'])
  }

  /** Call before the tool may run. */
  addTool({ toolUseId, turn, name, inputShort, startedAt }: ReportTool): void {
    this.#statements.addTool.run(toolUseId, turn, name, inputShort, startedAt)
  }

  /** The tool runs with another input than was recorded with its start. */
  toolRunsWith({ toolUseId, inputShort }: Pick<ReportTool, 'toolUseId' | 'inputShort'>): void {
    this.#statements.changedTool.run(inputShort, toolUseId)
  }

  /** Adds a report, and its usage to that of its turn. False: it is there already. */
  add({ turn, uuid, text, kind, usage, reportedAt }: ReportRow): boolean {
    return transaction(this.#store, () => {
      const json = usage && JSON.stringify(usage)
      if (this.#statements.add.run(turn, uuid, text, kind, json, reportedAt).changes === 0) return false
      if (usage?.costUsd) this.#statements.cost.run(usage.costUsd, turn)
      const settled = this.#statements.usageOf.get(turn)
      if (settled !== undefined) {
        const whole = this.withUncounted(turn, this.usageOf(turn))
        this.#statements.setUsage.run(whole && JSON.stringify(whole), turn)
      }
      return true
    })
  }

  /** The usage of a turn with that of its reports which is no part of it yet. It is from now on. */
  withUncounted(turn: string, usage: Usage | null): Usage | null {
    const rows = this.#statements.uncounted.all(turn)
    if (rows.length === 0) return usage
    this.#statements.counted.run(turn)
    const reported = rows.map((row) => JSON.parse(String(row['usage'])) as Usage)
    return [...(usage === null ? [] : [usage]), ...reported].reduce(addUsage)
  }

  /** The reports of these turns that say something, the oldest first. */
  of(turns: readonly string[]): ReportRow[] {
    return this.#statements.of.all(JSON.stringify(turns)).map(toReport)
  }

  /** The whole usage of a settled turn that has reports; null: it has none. */
  usageOf(turn: string): Usage | null {
    const row = this.#statements.usageOf.get(turn)
    return typeof row?.['usage'] === 'string' ? (JSON.parse(row['usage']) as Usage) : null
  }

  /** The tools that were started in reports of these turns; at most `limit`. */
  toolsOf(turns: readonly string[], limit: number): ReportTool[] {
    return this.#statements.toolsOf.all(JSON.stringify(turns), limit) as unknown as ReportTool[]
  }

  /** The reports that the asker of the pair does not have yet, the oldest first. */
  unread({ from, to, thread }: Pair): ReportRow[] {
    return this.#statements.unread.all(from, to, thread).map(toReport)
  }

  /** What agents said after the answers of these turns and that no asker has, the oldest first. */
  toPush(turns: readonly string[]): ReportToPush[] {
    return this.#statements.toPush.all(JSON.stringify(turns)) as unknown as ReportToPush[]
  }

  /** The last turns, at most `limit`, that ended since then and left commands running. */
  withCommands(since: number, limit: number): TurnWithCommands[] {
    return this.#statements.withCommands.all(since, limit).map(({ id, session, background, lastEndAt }) => ({
      id: String(id),
      session: Number(session),
      lastEndAt: Number(lastEndAt),
      background: JSON.parse(String(background)) as BackgroundCommand[],
    }))
  }

  /** The asker has all reports of these turns, since `at`, milliseconds since the epoch. */
  read(turns: Iterable<string>, at: number): void {
    for (const turn of turns) this.#statements.read.run(at, turn)
  }
}

function toReport(raw: Record<string, unknown>): ReportRow {
  const { usage, ...row } = raw as unknown as Omit<ReportRow, 'usage'> & { readonly usage: string | null }
  return { ...row, usage: usage === null ? null : (JSON.parse(usage) as Usage) }
}
