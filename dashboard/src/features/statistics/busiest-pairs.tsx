import type { Output } from '../../shared/api/operations.ts'
import { exact } from '../../shared/format/figures.ts'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { ThreadTag } from '../../shared/ui/thread-tag.tsx'
import { texts } from './texts.ts'

type Pair = Output<'session_stats'>['busiestPairs'][number]

export function BusiestPairs({ pairs }: { readonly pairs: readonly Pair[] }) {
  const most = Math.max(1, ...pairs.map(({ turns }) => turns))
  return (
    <section aria-labelledby="busiest" className="border-line bg-panel rounded-lg border p-4">
      <h2 id="busiest" className="font-semibold">
        {texts.busiestPairs}
      </h2>
      <ol className="mt-2 flex flex-col gap-2">
        {pairs.map(({ from, to, thread, turns }) => (
          <li key={`${from} ${to} ${thread}`}>
            <div className="flex flex-wrap items-center gap-x-2">
              <TeamName name={from} />
              <span className="text-muted">{texts.asks}</span>
              <TeamName name={to} />
              <ThreadTag thread={thread} />
              <span className="ml-auto tabular-nums">{exact(turns)}</span>
            </div>
            <div className="bg-raised h-1.5 overflow-hidden rounded-full">
              <div className="bg-accent h-full" style={{ width: `${(turns / most) * 100}%` }} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}
