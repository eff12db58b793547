import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { ReportRow } from '../../platform/store/reports.ts'
import { partsOf } from './host-names.ts'
import { ReportedLetter } from './letters.ts'
import type { Letter } from './ports.ts'
import type { Refusals } from './refusals.ts'
import type { ClusterRows } from './rows/cluster.ts'

export interface ReportedParts {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly refusals: Pick<Refusals, 'read'>
  readonly rows: Pick<ClusterRows, 'ask' | 'unreported'>
  readonly ledger: Pick<Ledger, 'turn' | 'reports'>
  readonly sessions: Pick<Sessions, 'rowOf'>
  /** The hosts that have the team with this name. */
  readonly hostsOf: (team: string) => readonly string[]
  readonly send: (to: string, letter: Letter, id: string) => Promise<void>
  readonly newId: () => string
  readonly publish: (event: IrisEvent) => void
}

/** Limits for a turn's reports, used if they do not all fit into one letter. */
const maxReports = 20
const maxReportCharacters = 4000

/**
 * Reports that agents made after their answers to teams on other hosts. The answering host sends the reports, and marks
 * each one as read once the other host's mailbox has it. The asking host stores each one as a report of its own turn.
 */
export class Reported {
  readonly #parts: ReportedParts

  constructor(parts: ReportedParts) {
    this.#parts = parts
  }

  /**
   * Sends all reports that the asking hosts do not have yet, for example after a break of the connection. The reports
   * are sent without their usage, because the end that was sent may already include it, and usage must not count twice.
   */
  resume(): void {
    for (const turn of this.#parts.rows.unreported()) void this.#send(turn, false)
  }

  /** Called when the turn has a new report. */
  came(turn: string): void {
    const row = this.#parts.rows.ask(turn)
    // If the turn's end has not been sent yet, the end's usage will include the report's.
    if (row !== undefined) void this.#send(turn, row.answered)
  }

  /** Handles a letter with reports from the host that answered. */
  take(from: string, { turn, text }: Letter): void {
    const { ledger, sessions, hostsOf, clock, publish, refusals } = this.#parts
    const letter = refusals.read(ReportedLetter, from, { text })
    if (letter === undefined) return
    const row = ledger.turn(turn)
    if (row === undefined) return
    const { sessionId, from: asker, to, thread } = sessions.rowOf(row.session)
    if (partsOf(to)?.host !== from && !hostsOf(to).includes(from)) return
    for (const report of letter.reports) {
      const isNew = ledger.reports.add({ ...report, turn, reportedAt: clock.now() })
      if (isNew) publish({ type: 'turn-reported', turnId: turn, kind: report.kind, sessionId, from: asker, to, thread })
    }
  }

  async #send(turn: string, withUsage: boolean): Promise<void> {
    const { rows, ledger, clock, log } = this.#parts
    const row = rows.ask(turn)
    const reports = ledger.reports.of([turn])
    if (row === undefined || row.refusal !== null || reports.length === 0) return
    const said = reports.map(({ uuid, text, kind, usage }) => ({ uuid, text, kind, usage: withUsage ? usage : null }))
    try {
      await this.#post(row.host, turn, said).catch((error: unknown) => {
        if (!(error instanceof IrisError && error.code === 'message_too_long')) throw error
        const short = said
          .slice(-maxReports)
          .map((each) => ({ ...each, text: each.text.slice(0, maxReportCharacters) }))
        return this.#post(row.host, turn, short)
      })
      // If another report arrived meanwhile, its own call sends all of them again.
      if (ledger.reports.of([turn]).length === reports.length) ledger.reports.read([turn], clock.now())
    } catch (error) {
      // The next connection sends the reports again.
      log.warn(`a report for another host is waiting: ${String(error)}`, { turnId: turn })
    }
  }

  #post(host: string, turn: string, reports: readonly Omit<ReportRow, 'turn' | 'reportedAt'>[]): Promise<void> {
    const { send, newId } = this.#parts
    const text = JSON.stringify({ reports })
    return send(host, { turn, kind: 'reported', text }, `${turn}:reported:${newId()}`)
  }
}
