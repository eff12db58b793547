import type { Output } from '../../../adapters/client/tool-call.ts'
import { call } from '../../../app/cli/call.ts'
import { indentedColumns } from '../../../app/cli/columns.ts'
import { counted } from '../../../app/cli/counted.ts'
import { localTime } from '../../../app/cli/moment.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { systemClock } from '../../../base/lib/clock.ts'
import { secondsText } from '../../../base/lib/duration.ts'
import { plainLine } from '../../../base/lib/plain-line.ts'
import { shortId } from '../../../base/lib/short-id.ts'
import { visible } from '../../../base/lib/visible.ts'
import { askerName } from '../../../base/protocol/pair.ts'

const off = 'Iris looks for no patterns: insight.patterns is false in config.yaml.'

type Patterns = Output<'find_patterns'>

/** Prints the patterns of past messages; hours are in local time. */
export async function patterns({ context, input, json }: Given): Promise<void> {
  const offsetMinutes = -new Date(systemClock.now()).getTimezoneOffset()
  const found = await call(context, 'find_patterns', { ...input, offsetMinutes })
  if (json) context.sayJson(found)
  else for (const line of found.isOn ? patternLines(found, context.width) : [off]) context.say(visible(line))
}

/** A paragraph for each kind of pattern that was found, or one line if there are none. */
function patternLines(found: Patterns, width: number): readonly string[] {
  const read = `${counted(found.read.asks, 'message')} from ${localTime(found.since)} to ${localTime(found.until)}.`
  const lines = kindsOf(found).flatMap(([title, rows]) =>
    rows.length === 0 ? [] : ['', `${title}:`, ...indentedColumns(width, rows)],
  )
  return lines.length === 0 ? [`No pattern in ${read}`] : [`Read ${read}`, ...lines]
}

function kindsOf(found: Patterns): readonly (readonly [title: string, rows: readonly (readonly string[])[]])[] {
  return [
    [
      'Asked repeatedly',
      found.repeated.map(({ to, askers, times, message, turns }) => [
        counted(times, 'time'),
        `${askers.map(askerName).join(', ')} → ${to}`,
        plainLine(message, 60),
        ids(turns),
      ]),
    ],
    [
      'Usual chains',
      found.chains.map(({ from, to, next, times, asks, turns }) => [
        `${times} of ${asks}`,
        `${askerName(from)} → ${to} → ${next}`,
        ids(turns),
      ]),
    ],
    [
      'Failing',
      found.failing.map(({ from, to, failed, ended, reason, turns }) => [
        `${failed} of ${ended}`,
        `${askerName(from)} → ${to}`,
        reason ?? '',
        ids(turns),
      ]),
    ],
    [
      'Busy hours',
      found.peaks.map(({ begin, end, asks, factor }) => [
        `${begin}:00 to ${end}:00`,
        counted(asks, 'message'),
        `${factor.toFixed(1)} times the average`,
      ]),
    ],
    [
      'Slow tools',
      found.slowTools.map(({ team, tool, times, p50Ms, p95Ms, turns }) => [
        team,
        tool,
        counted(times, 'time'),
        `p50 ${secondsText(p50Ms)}, p95 ${secondsText(p95Ms)}`,
        ids(turns),
      ]),
    ],
    [
      'Always allowed',
      found.alwaysAllowed.map(({ team, tool, times, rule, turns }) => [
        team,
        tool,
        counted(times, 'time'),
        rule === undefined ? '' : `a rule would be ${rule}`,
        ids(turns),
      ]),
    ],
  ]
}

function ids(turns: readonly string[]): string {
  return turns.map(shortId).join(' ')
}
