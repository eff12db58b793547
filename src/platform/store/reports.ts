import { addUsage } from '../../base/protocol/add-usage.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { BackgroundCommand, Usage } from '../../base/protocol/turn.ts'
import { transaction } from './database.ts'
import { sessions } from './sessions.ts'
import type { Store } from './store.ts'
import { flag, json, number, type RowOf, Selection, Table, text } from './table.ts'
import { turns } from './turns.ts'

/** What Claude Code said on its own after turns. */
export const reports = new Table('reports', {
  sequence: number(),
  turn: text(),
  /** The id of Claude Code's line, or of the task that ended with its process. */
  uuid: text(),
  /** What the agent said; for `ended`, the command that ended with its process without a report. */
  text: text(),
  kind: text<'said' | 'ended'>(),
  /** Null if the usage is included in the result of a message. */
  usage: json<Usage | null>(),
  /** Whether the report's usage is already included in the usage of its turn. */
  counted: flag(),
  /** Milliseconds since the epoch. */
  reportedAt: number(),
  /** When the asker received the report, milliseconds since the epoch. */
  readAt: number<number | null>(),
})

/** Tools that Claude Code started in turns it began on its own. */
export const reportTools = new Table('report_tools', {
  toolUseId: text(),
  turn: text(),
  name: text(),
  /** The input, shortened and without secrets. */
  inputShort: text(),
  /** Milliseconds since the epoch. */
  startedAt: number(),
})

const said = new Selection(reports.pick('turn', 'uuid', 'text', 'kind', 'usage', 'reportedAt'))

/** A report together with the message whose turn it belongs to. */
const toPush = new Selection({
  turn: text('reports.turn'),
  text: text('reports.text'),
  ...sessions.pick('from', 'to', 'thread'),
  message: text(),
})

/** A settled turn that left commands running. */
const withCommands = new Selection({
  ...turns.pick('id', 'session'),
  background: json<readonly BackgroundCommand[]>(),
  /** When the last turn of its session ended, milliseconds since the epoch. */
  lastEndAt: number('(SELECT max(settled_at) FROM turns AS later WHERE later.session = turns.session)'),
})

const usages = new Selection(turns.pick('usage'))

export interface ReportRow extends RowOf<typeof said> {}

export interface ReportTool extends RowOf<typeof reportTools> {}

export interface ReportToPush extends RowOf<typeof toPush> {}

export interface TurnWithCommands extends RowOf<typeof withCommands> {}

/** How many of a session's last turns `ownerOf` searches for a tool use. */
const turnsSearched = 1000

/** How many of the last turns `withCommands` searches. */
const turnsLookedAt = 10_000

/** The tables `reports` and `report_tools`. */
export class Reports {
  readonly #store: Store
  readonly #statements

  constructor(store: Store) {
    this.#store = store
    const latest = `(SELECT id FROM turns WHERE session = ?1 ORDER BY sequence DESC LIMIT ${turnsSearched})`
    this.#statements = {
      owner: store.prepare(
        `SELECT turn FROM report_tools WHERE tool_use_id = ?2 AND turn IN ${latest}
         UNION ALL SELECT turn FROM tool_starts WHERE turn IN ${latest} AND tool_use_id = ?2 LIMIT 1`,
      ),
      add: reports.insert(store, said.columns, 'ON CONFLICT DO NOTHING'),
      addTool: reportTools.insert(store, reportTools.columns, 'ON CONFLICT DO NOTHING'),
      changedTool: store.prepare('UPDATE report_tools SET input_short = ? WHERE tool_use_id = ?'),
      cost: store.prepare(
        'UPDATE team_sessions SET cost_usd = cost_usd + ? WHERE id = (SELECT session FROM turns WHERE id = ?)',
      ),
      usageOf: usages.select(store, `FROM turns WHERE id = ? AND state = 'settled'`),
      setUsage: turns.update(store, turns.pick('usage'), ' WHERE id = ?'),
      uncounted: usages.select(store, 'FROM reports WHERE turn = ? AND counted = 0 AND usage IS NOT NULL'),
      counted: store.prepare('UPDATE reports SET counted = 1 WHERE turn = ? AND counted = 0'),
      of: said.select(
        store,
        `FROM reports WHERE turn IN (SELECT value FROM json_each(?)) AND text <> '' ORDER BY sequence`,
      ),
      toolsOf: reportTools.select(
        store,
        'FROM report_tools WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY started_at LIMIT ?',
      ),
      unread: said.select(
        store,
        `FROM reports WHERE read_at IS NULL AND text <> '' AND turn IN (
           SELECT turns.id FROM turns JOIN team_sessions ON team_sessions.id = turns.session
           WHERE from_team = ? AND to_team = ? AND thread = ?) ORDER BY reports.sequence`,
      ),
      toPush: toPush.select(
        store,
        `FROM reports JOIN turns ON turns.id = reports.turn JOIN team_sessions ON team_sessions.id = session
         WHERE read_at IS NULL AND kind = 'said' AND text <> '' AND reports.turn IN (SELECT value FROM json_each(?))
         ORDER BY reports.sequence`,
      ),
      withCommands: withCommands.select(
        store,
        `FROM turns WHERE background IS NOT NULL AND settled_at >= ?
         AND sequence > (SELECT max(sequence) FROM turns) - ${turnsLookedAt} ORDER BY sequence DESC LIMIT ?`,
      ),
      read: store.prepare('UPDATE reports SET read_at = ? WHERE turn = ? AND read_at IS NULL'),
    }
  }

  /** The turn of this session that started the tool, directly or in a report; undefined if unknown. */
  ownerOf(session: number, toolUseId: string): string | undefined {
    const row = this.#statements.owner.get(session, toolUseId)
    return row && String(row['turn'])
  }

  /** Call before the tool may run. */
  addTool(tool: ReportTool): void {
    this.#statements.addTool.run(tool)
  }

  /** Records that the tool runs with a different input than was recorded at its start. */
  toolRunsWith({ toolUseId, inputShort }: Pick<ReportTool, 'toolUseId' | 'inputShort'>): void {
    this.#statements.changedTool.run(inputShort, toolUseId)
  }

  /** Adds a report, and adds its usage to the usage of its turn. Returns false if the report already exists. */
  add(report: ReportRow): boolean {
    return transaction(this.#store, () => {
      const { turn, usage } = report
      if (this.#statements.add.run(report).changes === 0) return false
      if (usage?.costUsd) this.#statements.cost.run(usage.costUsd, turn)
      const settled = this.#statements.usageOf.get(turn)
      if (settled !== undefined) {
        this.#statements.setUsage.run({ usage: this.withUncounted(turn, settled.usage) }, turn)
      }
      return true
    })
  }

  /**
   * The usage of a turn, plus the usage of its reports that has not been counted yet. That usage counts as included
   * from now on.
   */
  withUncounted(turn: string, usage: Usage | null): Usage | null {
    const rows = this.#statements.uncounted.all(turn)
    if (rows.length === 0) return usage
    this.#statements.counted.run(turn)
    const reported = rows.flatMap((row) => row.usage ?? [])
    return [...(usage === null ? [] : [usage]), ...reported].reduce(addUsage)
  }

  /** The reports of these turns that have a text, oldest first. */
  of(turns: readonly string[]): ReportRow[] {
    return this.#statements.of.all(JSON.stringify(turns))
  }

  /** The whole usage of a settled turn that has reports; null if it has none. */
  usageOf(turn: string): Usage | null {
    return this.#statements.usageOf.get(turn)?.usage ?? null
  }

  /** At most `limit` tools that were started in reports of these turns. */
  toolsOf(turns: readonly string[], limit: number): ReportTool[] {
    return this.#statements.toolsOf.all(JSON.stringify(turns), limit)
  }

  /** The reports that the pair's asker has not received yet, oldest first. */
  unread({ from, to, thread }: Pair): ReportRow[] {
    return this.#statements.unread.all(from, to, thread)
  }

  /**
   * The reports that agents made after they had answered these turns and that no asker has received yet, oldest first.
   */
  toPush(turns: readonly string[]): ReportToPush[] {
    return this.#statements.toPush.all(JSON.stringify(turns))
  }

  /** At most `limit` of the last turns that ended since `since` and left commands running. */
  withCommands(since: number, limit: number): TurnWithCommands[] {
    return this.#statements.withCommands.all(since, limit)
  }

  /** Records that the asker received all reports of these turns at `at`, milliseconds since the epoch. */
  read(turns: Iterable<string>, at: number): void {
    for (const turn of turns) this.#statements.read.run(at, turn)
  }
}
