import { isAbout, logLevels } from '../../../../src/base/protocol/log-entry.ts'
import type { LogLine } from './log-lines.ts'

/** An empty text matches every line. */
export interface WantedLines {
  readonly level: LogLine['level']
  readonly team: string
  readonly part: string
  readonly session: string
  readonly text: string
}

export const usualLines: WantedLines = { level: 'info', team: '', part: '', session: '', text: '' }

export function fitting(lines: readonly LogLine[], wanted: WantedLines): readonly LogLine[] {
  const levels = logLevels.slice(logLevels.indexOf(wanted.level))
  const about = {
    team: wanted.team || undefined,
    session: wanted.session.trim() || undefined,
    text: wanted.text || undefined,
  }
  return lines.filter(
    (line) =>
      levels.includes(line.level) && (wanted.part === '' || line.context === wanted.part) && isAbout(about, line),
  )
}

/** The names of the parts of Iris that have written log lines. */
export function partsOf(lines: readonly LogLine[]): readonly string[] {
  return [...new Set(lines.map(({ context }) => context))].toSorted()
}
