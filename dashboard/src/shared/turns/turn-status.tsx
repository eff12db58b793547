import { turnStandingOf } from '../../../../src/base/protocol/standing.ts'
import type { TurnSummaryView } from '../../../../src/features/traces/contract.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { texts } from './texts.ts'
import { standingWord } from './why-standing.ts'

type Status = TurnSummaryView['status']

const tones: Record<ReturnType<typeof turnStandingOf<Status>>, Tone> = {
  'waiting for you': 'warn',
  queued: 'busy',
  working: 'busy',
  completed: 'good',
  failed: 'bad',
  cancelled: 'warn',
  timed_out: 'bad',
  in_doubt: 'bad',
}

/** The words for how a turn ended or continues, by status. */
export const statusWords: Readonly<Record<Status, string>> = texts.statuses

/** The state of a turn, in the words of conversations. */
export function TurnStatus({ turn }: { readonly turn: Pick<TurnSummaryView, 'status' | 'waitsForPermission'> }) {
  const standing = turnStandingOf(turn)
  return (
    <Badge tone={tones[standing]}>
      {standing === 'waiting for you' ? standingWord(standing) : statusWords[standing]}
    </Badge>
  )
}
