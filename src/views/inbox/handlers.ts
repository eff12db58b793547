import type { z } from 'zod'
import type { Needs, UrgentSession } from '../../base/protocol/inbox-needs.ts'
import type { SwitchboardSession } from '../../base/protocol/session-view.ts'
import { isBusy, needOf, standingOf, standings } from '../../base/protocol/standing.ts'
import { pageOf } from '../../features/conversations/handlers/list-sessions.ts'
import { standing } from '../../features/conversations/standing.ts'
import type { InboxRows } from '../../features/inbox/rows.ts'
import type { FeatureList } from '../../kernel/call/composition.ts'
import { everything, type SwitchboardParts } from '../switchboard/handlers.ts'
import type { getInbox } from './contract.ts'
import { type Found, foundBy, foundOf } from './found.ts'
import { countNeeds, type Group, groupsOf } from './places.ts'

/** The dependencies of these operations. */
export interface InboxParts extends SwitchboardParts, Pick<FeatureList, 'brokenNow' | 'needsNow'> {
  readonly inboxRows: InboxRows
}

type Input = z.output<typeof getInbox.input>
type Output = z.output<typeof getInbox.output>

const usualPage = 30
/** Only the latest failures are listed: a long absence may have many. */
const maxFailures = 200
/** More items than anybody reads. Without this limit, each request for the inbox would read its whole past. */
export const maxKept = 500

/** get_inbox: all sessions that need a person or are working come first; the others follow in pages. */
export function inbox({ limit = usualPage, cursor }: Input, parts: InboxParts): Output {
  const urgent = urgentSessions(parts)
  const ids = urgent.map(({ id }) => id)
  const rest = { ...everything, status: 'live' as const, rows: { ids, among: false } }
  const { rows, more } = pageOf(parts.sessionList, rest, limit, cursor)
  const first = cursor === undefined ? urgent.map(({ session }) => session).toSorted(byNeed) : []
  return {
    sessions: [...first, ...rows.map((row) => standing(row, parts))],
    ...more,
    needs: countNeeds(groupsNow(urgent, parts)),
    broken: parts.brokenNow(),
    timestamp: parts.clock.now(),
  }
}

/** How many sessions need a person, by reason. */
export function needs(parts: InboxParts): Needs {
  return countNeeds(groupsNow(urgentSessions(parts), parts))
}

interface Besides {
  readonly done: readonly Found[]
  readonly pinned: ReadonlySet<string>
}

/** Everything in the inbox, by conversation, with what the owner did about it. */
export function groupsNow(
  urgent: readonly UrgentSession[],
  parts: InboxParts,
  { done, pinned }: Besides = { done: [], pinned: new Set() },
): readonly Group[] {
  const found = [...parts.needsNow(urgent).map(foundBy), ...parts.inboxRows.open(maxKept).flatMap(foundOf)]
  const subjects = new Set(found.map(({ subject }) => subject))
  const all = [...found, ...done.filter(({ subject }) => !subjects.has(subject))]
  const unread = all.flatMap(({ subject, marked }) => (marked === undefined ? [subject] : []))
  return groupsOf(all, parts.inboxRows.of(unread), pinned, parts.clock.now())
}

/**
 * Sessions that need a person or are working: they are awake, queued, held, broken or, according to the store, failed.
 */
export function urgentSessions(parts: InboxParts): UrgentSession[] {
  const { sessions, sessionList, lastTurns } = parts
  const opened = sessions.opened().filter(({ queue, heldBy, breaker }) => queue.length > 0 || heldBy || breaker)
  const ids = [...sessions.awake(), ...opened].map(({ sessionId }) => sessionId)
  const rows = sessionList.named([...new Set([...ids, ...lastTurns.failed(maxFailures)])])
  return rows.map((row) => ({ id: row.id, session: standing(row, parts) })).filter(({ session }) => isUrgent(session))
}

function isUrgent(session: SwitchboardSession): boolean {
  return session.status !== 'archived' && (needOf(session) !== undefined || isBusy(session))
}

/** Sorts by state; within a state, the session with the newer last message comes first. */
function byNeed(a: SwitchboardSession, b: SwitchboardSession): number {
  const [first, second] = [a, b].map((session) => standings.indexOf(standingOf(session))) as [number, number]
  return first - second || b.lastUsedAt - a.lastUsedAt
}
