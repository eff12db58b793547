import type { z } from 'zod'
import { visible } from '../../base/lib/visible.ts'
import { placeAt, placeCursor } from '../../base/operation/place-cursor.ts'
import { standing } from '../../features/conversations/standing.ts'
import { type InboxItem, type InboxRow, inboxPlaces, type listInbox } from './contract.ts'
import { foundOf } from './found.ts'
import { groupsNow, type InboxParts, maxKept, urgentSessions } from './handlers.ts'
import { countNeeds, type Group, inOrder, isIn, needIn } from './places.ts'

type Input = z.output<typeof listInbox.input>
type Output = z.output<typeof listInbox.output>

const usualPage = 100
const maxPinned = 100

/** list_inbox: the rows of one place, and how many there are in each. */
export function list({ place = 'inbox', query = '', limit = usualPage, cursor }: Input, parts: InboxParts): Output {
  const { inboxRows, sessionList, clock } = parts
  const urgent = urgentSessions(parts)
  const pinned = new Set(inboxRows.pinned(maxPinned))
  const done = inboxRows.done(maxKept).flatMap(foundOf)
  const groups = groupsNow(urgent, parts, { done, pinned })
  const counted = inboxPlaces.map((each) => [each, groups.filter((group) => isIn(each, group)).length])
  const shown = new Set(groups.filter((group) => isIn('inbox', group)).map(({ sessionId }) => sessionId))
  const idle = [...pinned].filter((sessionId) => !shown.has(sessionId))
  const here = [
    ...inOrder(groups.filter((group) => isIn(place, group))),
    ...(place === 'inbox' ? idle.map((sessionId) => ({ sessionId, place, items: [], isPinned: true })) : []),
  ]
  const known = new Map(sessionList.named(here.map(({ sessionId }) => sessionId)).map((row) => [row.sessionId, row]))
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const fitting = here.filter(({ sessionId, items }) => {
    const row = known.get(sessionId)
    if (row === undefined) return false
    const said = [row.from, row.to, row.thread, ...items.flatMap(textsOf)].join(' ').toLowerCase()
    return words.every((word) => said.includes(word))
  })
  const urgentById = new Map(urgent.map(({ session }) => [session.sessionId, session]))
  const first = cursor === undefined ? 0 : after(cursor, fitting)
  const page = fitting.slice(first, first + limit)
  const rows = page.map((group): InboxRow => {
    const session = urgentById.get(group.sessionId) ?? standing(known.get(group.sessionId)!, parts)
    return {
      session,
      tier: tierOf(group),
      items: group.items.map((item) => tried(item, parts)),
      isPinned: group.isPinned,
    }
  })
  const more = fitting.length - first - page.length
  return {
    rows,
    more,
    ...(more > 0 && { nextCursor: placeCursor(first + page.length, page.at(-1)!.sessionId) }),
    places: Object.fromEntries(counted) as Output['places'],
    needs: countNeeds(groups),
    timestamp: clock.now(),
  }
}

/**
 * Where the next page begins: after the last row of the previous page, or at that row's former position if it is no
 * longer listed.
 */
function after(cursor: string, rows: readonly Group[]): number {
  const { at, id } = placeAt(cursor)
  const last = rows.findIndex(({ sessionId }) => sessionId === id)
  return last === -1 ? Math.min(rows.length, at) : last + 1
}

function tierOf(group: Group): InboxRow['tier'] {
  if (group.items.length === 0) return 'pinned'
  return needIn(group) === undefined ? 'news' : 'needs'
}

function textsOf({ message = '', text = '', toolName = '' }: InboxItem): readonly string[] {
  return [visible(message), visible(text), toolName]
}

function tried(item: InboxItem, { inboxRows }: InboxParts): InboxItem {
  if (item.kind !== 'failed' || item.turnId === undefined) return item
  const tries = inboxRows.tries(item.turnId)
  return tries > 1 ? { ...item, tries } : item
}
