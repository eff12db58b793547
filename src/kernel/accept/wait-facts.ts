import { isOpenSessionThread } from '../../base/protocol/open-session-thread.ts'
import { pairText } from '../../base/protocol/pair.ts'
import type { Pool } from '../pool/pool.ts'
import type { OtherHosts } from '../session/other-hosts.ts'
import type { Session } from '../session/session.ts'
import type { Sessions } from '../session/sessions.ts'
import type { WaitFacts, WaitingTurn } from '../session/wait-graph.ts'

/**
 * Which turns currently wait for which. A process may belong to no turn: it may be running a background task, starting
 * or ending, or its turns may be cancelled. Such a process becomes free without waiting for any turn, so it counts as a
 * free place.
 */
export function waitFacts(sessions: Sessions, pool: Pool, otherHosts: Pick<OtherHosts, 'isThere'>): WaitFacts {
  const turns = new Map<string, WaitingTurn>()
  for (const session of sessions.all()) {
    const hasProcess = pool.state(session) !== 'stopped'
    const isHere = !otherHosts.isThere(session.to) && !isOpenSessionThread(session.thread)
    session.queue.forEach((turn, index) => {
      turns.set(turn.id, {
        id: turn.id,
        label: pairText(session),
        behind: session.queue[index - 1]?.id,
        awaits: [...turn.awaits],
        needsProcess: index === 0 && !hasProcess && isHere,
        holdsProcess: index === 0 && hasProcess,
      })
    })
  }
  const letsGo = (session: Session): boolean => session.queue.every((turn) => turn.cancelled.aborted)
  return { turns, hasRoom: pool.hasRoom || pool.holders().some(letsGo) }
}
