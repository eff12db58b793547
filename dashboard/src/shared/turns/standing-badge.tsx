import { type Judged, standingOf } from '../../../../src/base/protocol/standing.ts'
import { Badge } from '../ui/badge.tsx'
import { tones } from '../ui/tones.ts'
import { standingWord, whyStanding } from './why-standing.ts'

/** The state of a conversation as one word, with the reason on hover and for screen readers. */
export function StandingBadge({ session }: { readonly session: Judged }) {
  const standing = standingOf(session)
  const why = whyStanding(session)
  return (
    <span title={why}>
      <Badge tone={tones[standing]}>{standingWord(standing)}</Badge>
      {why !== '' && <span className="sr-only">{why}</span>}
    </span>
  )
}
