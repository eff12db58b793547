import type { TurnSummaryView } from '../../../../src/base/protocol/operations/trace.ts'
import { Badge, type Tone } from '../../shared/ui/badge.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { texts } from './texts.ts'

type Status = TurnSummaryView['status']

const tones: Record<Status, Tone> = {
  queued: 'plain',
  working: 'busy',
  completed: 'good',
  failed: 'bad',
  cancelled: 'warn',
  timed_out: 'bad',
  in_doubt: 'bad',
}

export function TurnStatus({ status }: { readonly status: Status }) {
  return <Badge tone={tones[status]}>{texts.statuses[status]}</Badge>
}

/** Who asked whom, and in which thread if it is not the main one. */
export function Pair({ from, to, thread }: Pick<TurnSummaryView, 'from' | 'to' | 'thread'>) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1 font-medium">
      <TeamName name={from} />
      <span aria-hidden="true">→</span>
      <span className="sr-only">{texts.asked}</span>
      <TeamName name={to} />
      {thread !== 'main' && <span className="text-muted truncate font-normal">({thread})</span>}
    </span>
  )
}
