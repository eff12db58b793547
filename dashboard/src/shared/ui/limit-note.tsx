import { isLoginLimit } from '../../../../src/base/protocol/limit.ts'
import { exactTime } from '../format/times.ts'
import { texts } from './texts.ts'

interface LimitNoteProps {
  readonly limitedUntil?: number | undefined
  readonly limitedBy?: string | undefined
}

/** Why the messages of a team wait for its account; nothing when they need not. */
export function LimitNote({ limitedUntil, limitedBy }: LimitNoteProps) {
  if (limitedUntil === undefined) return null
  const until = exactTime(limitedUntil)
  return (
    <p className="text-muted">
      {isLoginLimit(limitedBy) ? texts.loginRanOut(limitedBy, until) : texts.overLimit(limitedBy, until)}
    </p>
  )
}
