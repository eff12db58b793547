import type { z } from 'zod'
import { isBusy, needOf, standingOf, standings } from '../../base/protocol/standing.ts'
import { pageOf } from '../../features/conversations/handlers/list-sessions.ts'
import { standing } from '../../features/conversations/standing.ts'
import type { ListedSession } from '../../platform/store/session-list.ts'
import type { SwitchboardSession } from '../switchboard/contract.ts'
import { everything, type SwitchboardParts } from '../switchboard/handlers.ts'
import type { getInbox, Needs } from './contract.ts'

/** What these operations work with. */
export type InboxParts = SwitchboardParts

type Input = z.output<typeof getInbox.input>
type Output = z.output<typeof getInbox.output>

const usualPage = 30
/** Only the latest failures are listed: a long absence may have many. */
const maxFailures = 200

/** get_inbox: sessions that need a person or work come first, all of them; the others follow in pages. */
export function inbox({ limit = usualPage, cursor }: Input, parts: InboxParts): Output {
  const urgent = urgentSessions(parts)
  const ids = urgent.map(({ row }) => row.id)
  const rest = { ...everything, status: 'live' as const, rows: { ids, among: false } }
  const { rows, more } = pageOf(parts.sessionList, rest, limit, cursor)
  const first = cursor === undefined ? urgent.map(({ session }) => session).toSorted(byNeed) : []
  return {
    sessions: [...first, ...rows.map((row) => standing(row, parts))],
    ...more,
    needs: summed(urgent.map(({ session }) => session)),
    timestamp: parts.clock.now(),
  }
}

/** How many sessions need a person, by reason. */
export function needs(parts: InboxParts): Needs {
  return summed(urgentSessions(parts).map(({ session }) => session))
}

interface Urgent {
  readonly row: ListedSession
  readonly session: SwitchboardSession
}

/** Sessions that need a person or work: these are awake, queued, held, broken or, by the store, failed. */
function urgentSessions(parts: InboxParts): Urgent[] {
  const { sessions, sessionList, lastTurns } = parts
  const opened = sessions.opened().filter(({ queue, heldBy, breaker }) => queue.length > 0 || heldBy || breaker)
  const ids = [...sessions.awake(), ...opened].map(({ sessionId }) => sessionId)
  const rows = sessionList.named([...new Set([...ids, ...lastTurns.failed(maxFailures)])])
  return rows.map((row) => ({ row, session: standing(row, parts) })).filter(({ session }) => isUrgent(session))
}

function isUrgent(session: SwitchboardSession): boolean {
  return session.status !== 'archived' && (needOf(session) !== undefined || isBusy(session))
}

/** Sorts by state, then the session with the newer last message first. */
function byNeed(a: SwitchboardSession, b: SwitchboardSession): number {
  const [first, second] = [a, b].map((session) => standings.indexOf(standingOf(session))) as [number, number]
  return first - second || b.lastUsedAt - a.lastUsedAt
}

function summed(sessions: readonly SwitchboardSession[]): Needs {
  const sum = { waiting: 0, failed: 0, openElsewhere: 0 }
  for (const session of sessions) {
    const need = needOf(session)
    if (need !== undefined) sum[need] += 1
  }
  return sum
}
