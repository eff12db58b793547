import type { JournalRow } from '../../kernel/journal/journal.ts'
import type { DeliveryRow } from './rows.ts'

/** No event waits longer than this for its next try, milliseconds. */
const longestWaitMs = 2 * 86_400_000

/** A row of the journal that was not posted yet. */
export interface Entry extends JournalRow {
  /** Row id of its conversation. */
  readonly session: number
  state: 'waiting' | 'posting' | 'over'
}

/** The next row to post: a new one, or one that failed. */
export type Next = { readonly entry: Entry } | { readonly again: DeliveryRow }

export function isDue(nextAt: number | null, now: number): boolean {
  // A clock that was set back must not delay the event.
  return nextAt !== null && (nextAt <= now || nextAt - now > longestWaitMs)
}

export function rowOf(next: Next): JournalRow {
  if ('entry' in next) return next.entry
  const { sequence, at, type, turn: turnId, question } = next.again
  return { sequence, at, type, turnId, ...(question !== null && { questionId: question }) }
}
