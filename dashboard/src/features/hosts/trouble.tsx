import type { Output } from '../../shared/api/operations.ts'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { texts } from './texts.ts'

type Status = Output<'cluster_status'>

/** What the servers lack or have lost, and who maintains them. */
export function Servers({ link: { keeper, problem, lost } }: Pick<Status, 'link'>) {
  return (
    <>
      {problem !== undefined && <p className="text-bad wrap-anywhere">{problem}</p>}
      {lost !== undefined && <p className="text-bad wrap-anywhere">{texts.lost(lost)}</p>}
      {keeper !== undefined && <p className="text-muted">{texts.keeper(keeper)}</p>}
    </>
  )
}

/** Data of other hosts that was refused, and records that the servers have lost. Empty if there is neither. */
export function Trouble({ refused, lostRecords }: Pick<Status, 'refused' | 'lostRecords'>) {
  if (refused.length === 0 && lostRecords.length === 0) return null
  return (
    <section aria-label={texts.trouble} className="border-line bg-panel min-w-0 rounded-lg border p-4">
      <h2 className="font-semibold">{texts.trouble}</h2>
      <ul className="divide-line divide-y">
        {lostRecords.map(({ at, team, from, thread, was, is }) => (
          <li key={`${at} ${team} ${from} ${thread} ${was}`} className="flex flex-wrap gap-x-3 py-2">
            <span className="text-muted">
              <TimeSince at={at} />
            </span>
            <span className="min-w-0 wrap-anywhere">
              {texts.conversation(from, team, thread)}: {texts.lostRecords(was, is)}
            </span>
          </li>
        ))}
        {refused.map(({ host, count, why }) => (
          <li key={host} className="py-2 wrap-anywhere">
            {texts.refused(host, count, why)}
          </li>
        ))}
      </ul>
    </section>
  )
}
