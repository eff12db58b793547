import type { ItemKind } from '../../base/protocol/inbox-needs.ts'
import type { ItemState } from './contract.ts'

/** The store's record of an inbox item. Times are milliseconds since the epoch. */
export interface Marked {
  readonly state: ItemState
  /** When the item got this state. */
  readonly since: number
  /** With `later`: when it comes back. */
  readonly until: number | null
}

/** Where a conversation with something in the inbox is listed. */
export type Place = 'inbox' | 'later' | 'done'

/** After this time, an opened answer that needs nothing is done. */
export const settlesAfterMs = 86_400_000
/** A snoozed permission request returns this long before it is denied. */
export const beforeDeadlineMs = 5 * 60_000

/** An item's state at this moment. An item whose snooze has ended is new again since the end of the snooze. */
export function stateAt(kind: ItemKind, { state, since, until }: Marked, now: number): Marked {
  if (state === 'later' && (until === null || until <= now)) return { state: 'new', since: until ?? since, until: null }
  if (kind === 'answer' && state === 'opened' && since + settlesAfterMs <= now)
    return { state: 'done', since: since + settlesAfterMs, until: null }
  return { state, since, until }
}

/** Something new brings a conversation back, except that an answer leaves a snoozed one where it is. */
export function placeOf(items: readonly { readonly kind: ItemKind; readonly state: ItemState }[]): Place {
  const open = items.filter(({ state }) => state !== 'done')
  const awake = open.filter(({ state }) => state !== 'later')
  if (open.length === 0) return 'done'
  const isPutOff = awake.length < open.length
  return isPutOff && awake.every(({ kind }) => kind === 'answer') ? 'later' : 'inbox'
}

/** Why an item of this kind cannot get this state; undefined if it can. */
export function refusedMark(kind: ItemKind, state: ItemState): string | undefined {
  if (state === 'done' && kind === 'question') return 'It waits for an answer: allow it or deny it.'
  if (state === 'done' && kind === 'openElsewhere') return 'Messages wait until its terminal is closed.'
  if (state === 'done' && kind === 'broken') return 'Its process cannot be started.'
  return undefined
}

/** Until when an item is snoozed if a person wants `until`; undefined if no time is left for that. */
export function putOffUntil(until: number, now: number, deadline: number | undefined): number | undefined {
  const latest = deadline === undefined ? until : Math.min(until, deadline - beforeDeadlineMs)
  return latest > now ? latest : undefined
}
