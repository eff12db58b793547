import { plainLine } from '../../base/lib/plain-line.ts'
import type { Report, TurnResult } from '../../base/protocol/turn.ts'
import type { ReportRow } from '../../platform/store/reports.ts'
import type { Domain } from './call.ts'
import { isEnd } from './late-answers.ts'

type Reported = Pick<TurnResult, 'reports' | 'usage'>

/** Reports of earlier answers that the asker of this one does not have yet; it has them now. */
export function newReports(result: TurnResult, { reports, clock }: Domain): Reported {
  if (!isEnd(result.status)) return {}
  const untold = reports.untold(result)
  if (untold.length === 0) return {}
  reports.told(new Set(untold.map(({ turn }) => turn)), clock.now())
  return { reports: untold.map(reportView) }
}

/** What came after this answer, and the usage with that: a turn in memory has only its own. */
export function reportsOf({ turnId }: TurnResult, isAsker: boolean, { reports, clock }: Domain): Reported {
  const found = reports.of([turnId])
  if (found.length === 0) return {}
  if (isAsker) reports.told([turnId], clock.now())
  const usage = reports.usageOf(turnId)
  return { reports: found.map(reportView), ...(usage !== null && { usage }) }
}

function reportView({ turn: turnId, kind, text, reportedAt: at }: ReportRow): Report {
  return { turnId, kind, text, at }
}

/** Of a text in a list, characters. */
const longestText = 4000
const mostTools = 1000

/** The reports of these turns, with texts for a list. */
export function reportsByTurn(turns: readonly string[], { reports }: Domain): ReadonlyMap<string, Report[]> {
  const byTurn = Map.groupBy(reports.of(turns).map(reportView), ({ turnId }) => turnId)
  const cut = (report: Report): Report => ({ ...report, text: report.text.slice(0, longestText).toWellFormed() })
  return new Map([...byTurn].map(([turn, of]) => [turn, of.map(cut)]))
}

/** What came after the answer of a turn, as steps of its story. */
export function reportSteps(turn: string, { reports, secrets }: Domain): { at: number; text: string }[] {
  const tools = reports.toolsOf([turn], mostTools).map(({ name, inputShort, startedAt }) => ({
    at: startedAt,
    text: `Without a message, its agent went on: ${[name, inputShort].filter(Boolean).join(': ')}.`,
  }))
  const said = reports
    .of([turn])
    .map(({ kind, text, reportedAt: at }) => ({ at, text: `${words[kind]}: ${plainLine(text, 200)}` }))
  return [...tools, ...said].map(({ at, text }) => ({ at, text: secrets.hideInText(text) }))
}

const words = { said: 'Its agent reported', ended: 'A command in its background was ended with its process' }
