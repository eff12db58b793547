import type { Output } from '../../shared/api/operations.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { texts } from './texts.ts'

type Isolation = Output<'get_health'>['isolation'][number]

/** What the agents of each team cannot see. */
export function IsolationTable({ isolation }: { readonly isolation: readonly Isolation[] }) {
  if (isolation.length === 0) return null
  return (
    <section aria-labelledby="isolation" className="flex flex-col gap-2">
      <h2 id="isolation" className="font-semibold">
        {texts.isolationOfAgents}
      </h2>
      <ul className="flex flex-col">
        {isolation.map((each) => (
          <li
            key={each.team}
            className="border-line grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-t py-1.5 sm:grid-cols-[12rem_6rem_minmax(0,1fr)]"
          >
            <TeamName name={each.team} />
            <span>
              <Badge tone={toneOf(each)}>{each.level}</Badge>
            </span>
            <span className="text-muted col-span-2 wrap-anywhere sm:col-span-1">{each.detail}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function toneOf({ level, holds }: Isolation): 'good' | 'warn' | 'bad' | 'plain' {
  if (holds) return 'good'
  if (level === 'none') return 'plain'
  return level === 'sandbox' ? 'bad' : 'warn'
}
