import { standingOf, whyStanding } from '../../../../src/base/protocol/standing.ts'
import { bytes, cost, duration, exact } from '../../shared/format/figures.ts'
import { Badge } from '../../shared/ui/badge.tsx'
import { Meter } from '../../shared/ui/meter.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { TimeSince, useNow } from '../../shared/ui/time-since.tsx'
import type { Session, Team } from './changes.ts'
import { type ColumnName, contextShare } from './columns.ts'
import { external } from './parties.ts'
import { tones } from './tones.ts'

export type Teams = ReadonlyMap<string, Team>

interface FigureProps {
  readonly session: Session
  readonly teams: Teams
}

/** One thing that is known of a session; a dash where it is not. */
export function Figure({ name, session, teams }: FigureProps & { readonly name: ColumnName }) {
  const Shown = figures[name]
  return <Shown session={session} teams={teams} />
}

const figures: Readonly<Record<ColumnName, (props: FigureProps) => React.ReactNode>> = {
  pair: Pair,
  state: State,
  pid: ({ session: { pid } }) => pid ?? <None />,
  uptime: ({ session: { startedAt } }) => (startedAt === undefined ? <None /> : <Uptime since={startedAt} />),
  queue: ({ session: { queueLength } }) => (queueLength === 0 ? <None /> : <b className="text-warn">{queueLength}</b>),
  messages: ({ session: { messageCount } }) => exact(messageCount),
  lastAnswer: ({ session: { lastAnswerAt } }) =>
    lastAnswerAt === undefined ? <None /> : <TimeSince at={lastAnswerAt} />,
  context: Context,
  cost: ({ session: { costUsd } }) => (costUsd === 0 ? <None /> : cost(costUsd)),
  memory: ({ session: { memoryBytes } }) => (memoryBytes === undefined ? <None /> : bytes(memoryBytes)),
  restarts: Restarts,
}

function None() {
  return (
    <span className="text-muted">
      <span aria-hidden="true">–</span>
      <span className="sr-only">none</span>
    </span>
  )
}

function Pair({ session: { from, to, thread }, teams }: FigureProps) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <TeamName name={from} color={from === external ? 'var(--muted)' : teams.get(from)?.color} />
      <span aria-label="asks">→</span>
      <TeamName name={to} color={teams.get(to)?.color} />
      {thread !== 'main' && <span className="text-muted truncate" title={`Thread ${thread}`}>{`#${thread}`}</span>}
    </span>
  )
}

function State({ session }: FigureProps) {
  const standing = standingOf(session)
  const why = whyStanding(session)
  return (
    <span title={why}>
      <Badge tone={tones[standing]}>{standing}</Badge>
      {why !== '' && <span className="sr-only">{why}</span>}
    </span>
  )
}

function Uptime({ since }: { readonly since: number }) {
  return duration(Math.max(0, useNow() - since))
}

function Context({ session }: FigureProps) {
  const share = contextShare(session)
  if (share === undefined) return <None />
  return <Meter share={share} label={`Context of ${session.from} to ${session.to}`} />
}

function Restarts({ session: { starts = 0, failures = 0 } }: FigureProps) {
  const restarts = Math.max(0, starts - 1)
  if (restarts === 0 && failures === 0) return <None />
  return (
    <span title={`Started ${starts} times since Iris was, failed ${failures} times`}>
      {restarts}
      {failures > 0 && <span className="text-bad">{` (${failures} failed)`}</span>}
    </span>
  )
}
