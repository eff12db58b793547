import { exactTime } from '../format/times.ts'
import { texts } from './texts.ts'

interface LimitNoteProps {
  readonly limitedUntil?: number | undefined
  readonly limitedBy?: string | undefined
}

/** Why the messages of a team wait for its account; nothing when they don't have to wait. */
export function LimitNote({ limitedUntil, limitedBy }: LimitNoteProps) {
  if (limitedUntil === undefined) return null
  return <p className="text-muted">{texts.account(limitedBy, limitedUntil, { at: exactTime, now: Date.now() })}</p>
}
