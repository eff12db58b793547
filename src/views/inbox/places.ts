import { type ItemKind, itemKinds, type Needs } from '../../base/protocol/inbox-needs.ts'
import { type Marked, type Place, placeOf, stateAt } from '../../features/inbox/state.ts'
import type { InboxItem, InboxPlace } from './contract.ts'
import type { Found } from './found.ts'

/** The inbox items of one conversation, most important first. */
export interface Group {
  readonly sessionId: string
  readonly place: Place
  readonly items: readonly InboxItem[]
  readonly isPinned: boolean
}

/** Combines what was found with what the owner did about it. A pure function. */
export function groupsOf(
  found: readonly Found[],
  marks: ReadonlyMap<string, Marked>,
  pinned: ReadonlySet<string>,
  now: number,
): readonly Group[] {
  const bySession = Map.groupBy(found, ({ sessionId }) => sessionId)
  return [...bySession].map(([sessionId, all]) => {
    const items = all.map((each) => itemOf(each, marks, now)).toSorted(byMatter)
    return { sessionId, place: placeOf(items), items, isPinned: pinned.has(sessionId) }
  })
}

function itemOf({ sessionId: _session, marked, ...about }: Found, marks: ReadonlyMap<string, Marked>, now: number) {
  const mark = marked ?? marks.get(about.subject)
  const { state, since, until } =
    mark === undefined ? { state: 'new' as const, since: about.at, until: null } : stateAt(about.kind, mark, now)
  // Items that return to the inbox come first.
  const at = state === 'new' ? Math.max(about.at, since) : about.at
  return { ...about, state, at, ...(until !== null && { until }) }
}

const isOpen = ({ state }: InboxItem): boolean => state !== 'done'
const isAwake = ({ state }: InboxItem): boolean => state === 'new' || state === 'opened'

/** Open items come before done ones, then by kind, then the latest first. */
function byMatter(a: InboxItem, b: InboxItem): number {
  return Number(isOpen(b)) - Number(isOpen(a)) || itemKinds.indexOf(a.kind) - itemKinds.indexOf(b.kind) || b.at - a.at
}

export function isIn(place: InboxPlace, group: Group): boolean {
  if (place !== 'expired') return group.place === place
  return group.items.some((item) => item.kind === 'expired' && isOpen(item))
}

const needs: Partial<Record<ItemKind, keyof Needs>> = {
  question: 'waiting',
  expired: 'expired',
  failed: 'failed',
  broken: 'failed',
  openElsewhere: 'openElsewhere',
  event: 'failed',
}

/** Why a conversation needs its owner now; undefined if it does not, or if that need is marked done or snoozed. */
export function needIn({ items }: Pick<Group, 'items'>): keyof Needs | undefined {
  return items.filter(isAwake).flatMap(({ kind }) => needs[kind] ?? [])[0]
}

/**
 * Conversations that need a person come first, then those with answers; in each group, pinned ones come first, then the
 * latest.
 */
export function inOrder(groups: readonly Group[]): readonly Group[] {
  const tier = (group: Group): number => (needIn(group) === undefined ? 1 : 0)
  const latest = ({ items }: Group): number => Math.max(...items.map(({ at }) => at))
  return groups.toSorted(
    (a, b) => tier(a) - tier(b) || Number(b.isPinned) - Number(a.isPinned) || latest(b) - latest(a),
  )
}

export function countNeeds(groups: readonly Group[]): Needs {
  const sum = { waiting: 0, failed: 0, openElsewhere: 0, expired: 0 }
  for (const group of groups) {
    const need = needIn(group)
    if (need !== undefined) sum[need] += 1
  }
  return sum
}
