import { isFailure } from '../../../../src/base/protocol/standing.ts'
import { askerName } from '../../shared/format/asker.ts'
import { cost, exact } from '../../shared/format/figures.ts'
import { StandingBadge } from '../../shared/turns/standing-badge.tsx'
import { Meter } from '../../shared/ui/meter.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { ThreadTag } from '../../shared/ui/thread-tag.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import type { Session, Team } from './changes.ts'
import { type ColumnName, contextShare } from './columns.ts'
import { texts } from './texts.ts'

export type Teams = ReadonlyMap<string, Team>

interface FigureProps {
  readonly session: Session
  readonly teams: Teams
}

/** One figure of a session; a dash if it is not known. */
export function Figure({ name, session, teams }: FigureProps & { readonly name: ColumnName }) {
  const Shown = figures[name]
  return <Shown session={session} teams={teams} />
}

const figures: Readonly<Record<ColumnName, (props: FigureProps) => React.ReactNode>> = {
  pair: Pair,
  state: ({ session }) => <StandingBadge session={session} />,
  queue: ({ session: { queueLength } }) => (queueLength === 0 ? <None /> : <b className="text-warn">{queueLength}</b>),
  messages: ({ session: { messageCount } }) => exact(messageCount),
  lastAnswer: LastAnswer,
  context: Context,
  cost: ({ session: { costUsd } }) => (costUsd === 0 ? <None /> : cost(costUsd)),
}

function None() {
  return (
    <span className="text-muted">
      <span aria-hidden="true">–</span>
      <span className="sr-only">{texts.noState}</span>
    </span>
  )
}

function Pair({ session: { from, to, thread } }: FigureProps) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <TeamName name={from} />
      <span aria-label={texts.asks}>→</span>
      <TeamName name={to} />
      <ThreadTag thread={thread} />
    </span>
  )
}

/** A failed message has no answer. */
function LastAnswer({ session: { lastAnswerAt, lastTurn } }: FigureProps) {
  if (lastAnswerAt === undefined) return <None />
  if (lastTurn === undefined || !isFailure(lastTurn)) return <TimeSince at={lastAnswerAt} />
  return (
    <span className="text-bad">
      {texts.failed}
      <TimeSince at={lastAnswerAt} />
    </span>
  )
}

function Context({ session }: FigureProps) {
  const share = contextShare(session)
  if (share === undefined) return <None />
  return <Meter share={share} label={texts.contextOfTo(askerName(session.from), session.to)} />
}
