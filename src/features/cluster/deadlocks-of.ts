import { waitingForItself } from '../../kernel/session/wait-graph.ts'
import type { ClusterParts } from './cluster-parts.ts'
import { Deadlocks, type DeadlocksParts, mayKnow } from './deadlocks.ts'
import type { Outgoing } from './outgoing.ts'

interface DeadlocksOfParts extends ClusterParts, Pick<DeadlocksParts, 'send' | 'self'> {
  readonly outgoing: Outgoing
}

/** Finds asks of this host that wait for each other across several hosts. */
export function deadlocksOf(parts: DeadlocksOfParts): Deadlocks {
  const { clock, newId, waits, send, self, outgoing } = parts
  return new Deadlocks({
    clock,
    newId,
    waits,
    send,
    self,
    carried: () => outgoing.turns,
    carrierOf: (turn) => outgoing.hostFor(turn),
    mayKnow: (host, turn) => mayKnow(host, turn, parts),
    refuse: (turn, path) => outgoing.refuse(turn, waitingForItself(path).message),
  })
}
