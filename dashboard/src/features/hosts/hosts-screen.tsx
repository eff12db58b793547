import type { Output } from '../../shared/api/operations.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import { duration } from '../../shared/format/durations.ts'
import { bytes } from '../../shared/format/figures.ts'
import { Badge, type Tone } from '../../shared/ui/badge.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { Moves } from './moves.tsx'
import { texts } from './texts.ts'
import { Servers, Trouble } from './trouble.tsx'

type Status = Output<'cluster_status'>
type Host = Status['hosts'][number]

/** Hosts announce themselves without an event, so the list is requested again at this interval, in milliseconds. */
const askAgainMs = 2000

const linkTones: Readonly<Record<Status['link']['state'], Tone>> = {
  off: 'plain',
  connecting: 'busy',
  connected: 'good',
  unreachable: 'warn',
  refused: 'bad',
}

const hostTones: Readonly<Record<Host['state'], Tone>> = { awake: 'good', asleep: 'plain', stranger: 'bad' }

/** This host among others: the link, who is there, what waits, and which conversations went to another host. */
export function HostsScreen() {
  const query = useOperation('cluster_status', {}, { askAgainMs })
  return (
    <Screen title={texts.hosts}>
      <QueryView query={query} what={texts.theHosts}>
        {(status) =>
          status.self === undefined ? (
            <Empty title={texts.alone}>{texts.aloneWhy}</Empty>
          ) : (
            <>
              <ThisHost status={status} />
              {status.hosts.length === 0 && <Empty title={texts.noHosts}>{texts.noHostsWhy}</Empty>}
              {status.hosts.map((host) => (
                <HostCard key={host.name} host={host} />
              ))}
              <Trouble refused={status.refused} lostRecords={status.lostRecords} />
              <Moves moves={status.moves} />
            </>
          )
        }
      </QueryView>
    </Screen>
  )
}

const card = 'border-line bg-panel flex min-w-0 flex-col gap-2 rounded-lg border p-4'

function ThisHost({ status: { self, link, drained } }: { readonly status: Status }) {
  const { state, why, roundTripMs } = link
  return (
    <section aria-label={texts.thisHost} className={card}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">{self}</h2>
        <Badge tone={linkTones[state]}>{texts.links[state]}</Badge>
        {drained && <Badge tone="warn">{texts.drained}</Badge>}
        <span className="text-muted">
          {texts.thisHost}
          {roundTripMs !== undefined && `, ${texts.roundTrip(duration(Math.max(1, Math.round(roundTripMs))))}`}
        </span>
      </div>
      {why !== undefined && <p className="text-bad wrap-anywhere">{why}</p>}
      <Servers link={link} />
    </section>
  )
}

function HostCard({ host }: { readonly host: Host }) {
  const { name, state, version, seenAt, teams, drained, load, waiting, waitingSince, answering, newIn } = host
  return (
    <section aria-label={name} className={card}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">{name}</h2>
        <Badge tone={hostTones[state]}>{texts.states[state]}</Badge>
        {drained && <Badge tone="warn">{texts.drained}</Badge>}
        <span className="text-muted">
          {texts.version(version)}, {texts.seen} <TimeSince at={seenAt} />
        </span>
      </div>
      {state === 'stranger' && <p className="text-bad wrap-anywhere">{texts.strangerWhy(name)}</p>}
      <p className="wrap-anywhere">
        {teams.length === 0 ? texts.noTeams : `${texts.teams}: ${teams.map((team) => `${team}@${name}`).join(', ')}`}
      </p>
      {newIn.length > 0 && <p className="wrap-anywhere">{texts.newIn(newIn.join(', '))}</p>}
      {load && (
        <p className="text-muted">
          {texts.load(load.turns, load.processes)}
          {load.freeMiB !== undefined && texts.free(bytes(load.freeMiB * 1024 * 1024))}
        </p>
      )}
      {waiting > 0 && (
        <p>
          {texts.waiting(waiting)}
          {waitingSince !== undefined && (
            <>
              , {texts.waitingSince} <TimeSince at={waitingSince} />
            </>
          )}
        </p>
      )}
      {answering > 0 && <p>{texts.answering(answering)}</p>}
    </section>
  )
}
