import { Link } from '@tanstack/react-router'
import { useOperation } from '../../shared/api/use-operation.ts'
import { MessageButton } from '../../shared/message/message-dialog.tsx'
import { InTurn } from '../../shared/ui/in-turn.tsx'
import { LimitNote } from '../../shared/ui/limit-note.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { texts } from './texts.ts'

/**
 * Account limits end without an event, and hosts announce their teams without one, so the list is requested again at
 * this interval, in milliseconds.
 */
const askAgainMs = 5000

/** Every team, with a way to write to it. */
export function TeamList() {
  const { data } = useOperation('list_teams', {}, { askAgainMs })
  if (data === undefined) return null
  return (
    <section aria-label={texts.teams} className="flex min-w-0 flex-col gap-1">
      <h2 className="text-muted font-semibold">{texts.teams}</h2>
      <ul className="border-line bg-panel divide-line divide-y rounded-lg border">
        {data.teams.map(({ name, config }) => (
          <InTurn key={name}>
            <li className="flex items-center gap-2 px-3 py-1.5">
              <Link
                to="/switchboard"
                search={{ team: name }}
                className="min-w-0 flex-1"
                title={config.description ?? name}
              >
                <TeamName name={name} />
                <LimitNote limitedUntil={config.limitedUntil} limitedBy={config.limitedBy} />
              </Link>
              <MessageButton team={name} />
            </li>
          </InTurn>
        ))}
      </ul>
    </section>
  )
}
