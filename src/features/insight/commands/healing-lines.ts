import type { Output } from '../../../adapters/client/tool-call.ts'
import { columns } from '../../../app/cli/columns.ts'
import { localTime } from '../../../app/cli/moment.ts'
import { secondsText } from '../../../base/lib/duration.ts'
import { visible } from '../../../base/lib/visible.ts'

/** A line for each fault, or one line saying that there was none. */
export function healingLines({ healings, isOn, since }: Output<'list_healings'>, width: number): readonly string[] {
  const off = isOn ? [] : ['Iris records no faults: insight.healing is false in config.yaml.']
  if (healings.length === 0) return [...off, `No fault since ${localTime(since)}.`]
  const rows = healings.map(({ fault, subject, found, foundAt, healedAt }) => [
    localTime(foundAt),
    fault,
    visible(subject),
    healedAt === null ? 'not healed yet' : `healed in ${secondsText(healedAt - foundAt)}`,
    visible(found),
  ])
  return [...off, ...columns(width, rows)]
}
