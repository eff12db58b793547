import type { TurnSummaryView } from '../../../../src/features/traces/contract.ts'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { ThreadTag } from '../../shared/ui/thread-tag.tsx'
import { texts } from './texts.ts'

/** Who asked whom, and in which thread if it is not the main one. */
export function Pair({ from, to, thread }: Pick<TurnSummaryView, 'from' | 'to' | 'thread'>) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1.5 font-medium">
      <TeamName name={from} />
      <span aria-hidden="true">→</span>
      <span className="sr-only">{texts.asked}</span>
      <TeamName name={to} />
      <ThreadTag thread={thread} />
    </span>
  )
}
