import type { Clock } from '../../base/lib/clock.ts'
import { plainLine } from '../../base/lib/plain-line.ts'
import type { Secrets } from '../../base/lib/secrets.ts'
import { isEnd, type Report, type TurnResult } from '../../base/protocol/turn.ts'
import type { ReportRow, Reports } from '../../platform/store/reports.ts'

/** The dependencies of these operations. */
export interface ReportsParts {
  readonly clock: Clock
  readonly reports: Pick<Reports, 'of' | 'read' | 'toolsOf' | 'unread' | 'usageOf'>
  readonly secrets: Secrets
}

/** A watch may make its agent report again and again, so only the last reports are returned. */
const maxInAnswer = 20
const maxInStatus = 100
/** The limit in characters for a text shown with another answer or in a list. message_status has the whole text. */
const maxReportCharacters = 4000
const maxTools = 1000

const words = { said: 'Its agent reported', ended: 'A command in its background was ended with its process' }

type Reported = Pick<TurnResult, 'reports' | 'usage'>

/** Reports after earlier answers that this answer's asker has not received yet. They count as received from now on. */
export function newReports(result: TurnResult, { reports, clock }: ReportsParts): Reported {
  if (!isEnd(result.status)) return {}
  const unread = reports.unread(result)
  if (unread.length === 0) return {}
  reports.read(new Set(unread.map(({ turn }) => turn)), clock.now())
  return { reports: unread.slice(-maxInAnswer).map(reportView).map(cut) }
}

/**
 * The reports after this answer, and the usage including them, because a turn in memory has only its own usage. The
 * answer's asker also gets reports after earlier answers.
 */
export function reportsOf(result: TurnResult, isAsker: boolean, parts: ReportsParts): Reported {
  const { reports, clock } = parts
  const found = reports.of([result.turnId])
  if (isAsker && found.length > 0) reports.read([result.turnId], clock.now())
  const { reports: earlier = [] } = isAsker ? newReports(result, parts) : {}
  const own = found.slice(-maxInStatus).map(reportView)
  const usage = found.length === 0 ? null : reports.usageOf(result.turnId)
  return { ...(own.length + earlier.length > 0 && { reports: [...earlier, ...own] }), ...(usage !== null && { usage }) }
}

function reportView({ turn: turnId, kind, text, reportedAt: at }: ReportRow): Report {
  return { turnId, kind, text, at }
}

/** The reports of these turns, with texts for a list. */
export function reportsByTurn(turns: readonly string[], { reports }: ReportsParts): ReadonlyMap<string, Report[]> {
  const byTurn = Map.groupBy(reports.of(turns).map(reportView), ({ turnId }) => turnId)
  return new Map([...byTurn].map(([turn, of]) => [turn, of.slice(-maxInAnswer).map(cut)]))
}

/** Like `reportsByTurn`, for the asker. The reports count as received from now on. */
export function readReports(turns: readonly string[], parts: ReportsParts): ReadonlyMap<string, Report[]> {
  const byTurn = reportsByTurn(turns, parts)
  parts.reports.read(byTurn.keys(), parts.clock.now())
  return byTurn
}

function cut(report: Report): Report {
  return { ...report, text: report.text.slice(0, maxReportCharacters).toWellFormed() }
}

/** The reports after a turn's answer, as steps. */
export function reportSteps(turn: string, { reports, secrets }: ReportsParts): { at: number; text: string }[] {
  const tools = reports.toolsOf([turn], maxTools).map(({ name, inputShort, startedAt }) => ({
    at: startedAt,
    text: `Without a message, its agent continued: ${[name, inputShort].filter(Boolean).join(': ')}.`,
  }))
  const said = reports
    .of([turn])
    .map(({ kind, text, reportedAt: at }) => ({ at, text: `${words[kind]}: ${plainLine(text, 200)}` }))
  return [...tools, ...said].map(({ at, text }) => ({ at, text: secrets.hideInText(text) }))
}
