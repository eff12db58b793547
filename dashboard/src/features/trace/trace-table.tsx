import { duration } from '../../shared/format/durations.ts'
import { TurnStatus } from '../../shared/turns/turn-status.tsx'
import type { Trace } from './grown.ts'
import { kindNames } from './kinds.tsx'
import { Pair } from './pair.tsx'
import { rowsOf } from './rows.ts'
import { texts } from './texts.ts'

/** The waterfall in figures, for people who read figures more easily than bars. */
export function TraceTable({ trace }: { readonly trace: Trace }) {
  const rows = rowsOf(trace.turns)
  const start = rows[0]?.turn.acceptedAt ?? 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div
      role="region"
      aria-label={texts.turnsInFigures}
      tabIndex={0}
      className="border-line overflow-x-auto rounded-lg border"
    >
      <table className="w-full text-left whitespace-nowrap">
        <caption className="sr-only">{texts.eachTurnOfThe}</caption>
        <thead className="text-muted">
          <tr>
            {[
              texts.turns(1),
              texts.level,
              texts.status,
              texts.beginsAfter,
              texts.took,
              ...kindNames.map((kind) => texts.kinds[kind]),
              texts.tools,
            ].map((name) => (
              <th key={name} scope="col" className="border-line border-b px-2 py-1 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ turn, depth }) => (
            <tr key={turn.turnId} className="border-line border-b last:border-b-0">
              <th scope="row" className="px-2 py-1 font-normal">
                <Pair {...turn} />
              </th>
              <td className="px-2">{depth + 1}</td>
              <td className="px-2">
                <TurnStatus turn={turn} />
              </td>
              <td className="px-2 tabular-nums">{duration(turn.acceptedAt - start)}</td>
              <td className="px-2 tabular-nums">
                {duration((turn.spans.at(-1)?.to ?? turn.acceptedAt) - turn.acceptedAt)}
              </td>
              {kindNames.map((kind) => (
                <td key={kind} className="px-2 tabular-nums">
                  {turn.times[kind] > 0 ? duration(turn.times[kind]) : '–'}
                </td>
              ))}
              <td className="px-2 tabular-nums">{turn.tools.length}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
