import type { Output } from '../../shared/api/operations.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { texts } from './texts.ts'

type Isolation = Output<'get_health'>['isolation'][number]

/** What the agents of each team cannot see: teams with the same answer share a row. */
export function IsolationTable({ isolation }: { readonly isolation: readonly Isolation[] }) {
  if (isolation.length === 0) return null
  return (
    <section aria-labelledby="isolation" className="flex flex-col gap-2">
      <h2 id="isolation" className="font-semibold">
        {texts.isolationOfAgents}
      </h2>
      <ul className="border-line bg-panel divide-line divide-y rounded-lg border">
        {alike(isolation).map(([each, ...others]) => (
          <li key={each.team} className="flex flex-wrap items-center gap-x-3 gap-y-1 p-3">
            <Badge tone={toneOf(each)}>{each.level}</Badge>
            {[each, ...others].map(({ team }) => (
              <TeamName key={team} name={team} />
            ))}
            <span className="text-muted basis-full wrap-anywhere">{each.detail}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

type Alike = readonly [Isolation, ...Isolation[]]

function alike(isolation: readonly Isolation[]): readonly Alike[] {
  const groups = Map.groupBy(isolation, ({ level, holds, detail }) => JSON.stringify([level, holds, detail]))
  return [...groups.values()] as unknown as Alike[]
}

function toneOf({ level, holds }: Isolation): 'good' | 'warn' | 'bad' | 'plain' {
  if (holds) return 'good'
  if (level === 'none') return 'plain'
  return level === 'sandbox' ? 'bad' : 'warn'
}
