import { duration } from '../../shared/format/durations.ts'
import { compact, cost, exact, percent } from '../../shared/format/figures.ts'
import type { Trace } from './grown.ts'
import { kindNames, looks, Swatch } from './kinds.tsx'
import { placeOf } from './scale.ts'
import { texts } from './texts.ts'

/** How long the first ask took, where that time went, and what the whole tree used. Also the legend of the bars. */
export function Totals({ trace: { times, tree, turns } }: { readonly trace: Trace }) {
  const sum = (names: typeof kindNames): number => names.reduce((ms, kind) => ms + times[kind], 0)
  const total = sum(kindNames)
  // Waiting for another team counts as whatever that team did, so a bar may show a kind that has no total.
  const shown = kindNames.filter((kind) => times[kind] > 0 || turns.some((turn) => turn.times[kind] > 0))
  return (
    <section aria-label={texts.totals} className="border-line bg-panel flex flex-col gap-3 rounded-lg border p-3">
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        <Figure name={texts.took} value={duration(total)} />
        <Figure name={texts.turns(tree.turns)} value={exact(tree.turns)} />
        <Figure name={texts.tokens} value={compact(tree.tokens)} />
        <Figure name={texts.cost} value={cost(tree.costUsd)} />
      </dl>
      <div aria-hidden="true" className="relative h-4">
        {kindNames.map((kind, index) => {
          const from = sum(kindNames.slice(0, index))
          const place = placeOf(from, from + times[kind], { from: 0, to: total })
          return times[kind] > 0 && <span key={kind} className={`${looks[kind]} absolute inset-y-0`} style={place} />
        })}
      </div>
      <dl aria-label={texts.timeSpent} className="flex flex-wrap gap-x-5 gap-y-1">
        {shown.map((kind) => (
          <div key={kind} className="flex items-center gap-2">
            <dt className="text-muted inline-flex items-center gap-2">
              <Swatch kind={kind} />
              {texts.kinds[kind]}
            </dt>
            <dd className="tabular-nums">
              {duration(times[kind])}
              {total > 0 && <span className="text-muted"> {percent(times[kind] / total)}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex items-baseline gap-2">
      <dt className="text-muted">{name}</dt>
      <dd className="text-base font-semibold tabular-nums">{value}</dd>
    </div>
  )
}
