import type { Output } from '../../../adapters/client/tool-call.ts'
import { columns } from '../../../app/cli/columns.ts'
import { momentText } from '../../../app/cli/moment.ts'
import { plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { askerName } from '../../../base/protocol/pair.ts'

/** A line for each file that changed, or one line saying that no file changed. */
export function driftLines({ changed, isOn, since }: Output<'list_drift'>, width: number): readonly string[] {
  const off = isOn ? [] : ['Iris does not track answers: insight.drift is false in config.yaml.']
  if (changed.length === 0) return [...off, `No file behind an answer given since ${momentText(since)} has changed.`]
  const rows = changed.map(({ path, commit, author, changedAt, from, to, message, turnId, answers }) => [
    path,
    commit === undefined ? momentText(changedAt) : `${commit.slice(0, 8)} ${author ?? ''}`.trim(),
    `${askerName(from)} → ${to}`,
    `${plainLine(message, 60)}${answers > 1 ? ` and ${answers - 1} more` : ''}`,
    shortId(turnId),
  ])
  return [...off, ...columns(width, rows)]
}
