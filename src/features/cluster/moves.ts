import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Sessions } from '../../kernel/session/sessions.ts'
import type { ClusterMoveRow, ClusterRows } from './rows/cluster.ts'

export interface MovesParts {
  readonly clock: Clock
  readonly log: Log
  readonly rows: Pick<ClusterRows, 'addMove'>
  readonly sessions: Pick<Sessions, 'openLive'>
  readonly publish: (event: IrisEvent) => void
}

/** Called when a conversation continues on another host. */
export type Moved = (kind: ClusterMoveRow['kind'], pair: Pair, formerHost: string, host: string) => void

/** Records and publishes which conversations moved from one host to another. */
export function movesInto({ clock, log, rows, sessions, publish }: MovesParts): Moved {
  return (kind, { from, to, thread }, formerHost, host) => {
    const pair = { from, to, thread }
    try {
      rows.addMove({ at: clock.now(), kind, ...pair, formerHost, host })
    } catch (error) {
      log.debug(`a move between hosts could not be recorded: ${String(error)}`)
    }
    const sessionId = sessions.openLive(pair)?.sessionId
    if (sessionId !== undefined) publish({ type: 'conversation-moved', kind, formerHost, host, ...pair, sessionId })
  }
}
