import { waitingForItself } from '../../kernel/orchestrator/admission.ts'
import type { ClusterParts } from './cluster-parts.ts'
import type { Outgoing } from './outgoing.ts'
import { mayKnow, Rings, type RingsParts } from './rings.ts'

interface RingsOfParts extends ClusterParts, Pick<RingsParts, 'send' | 'self'> {
  readonly outgoing: Outgoing
}

/** Asks of this host that may wait for each other over several hosts. */
export function ringsOf(parts: RingsOfParts): Rings {
  const { clock, newId, waits, send, self, outgoing } = parts
  return new Rings({
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
