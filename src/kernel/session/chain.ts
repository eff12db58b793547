import type { Ledger } from '../../platform/store/ledger.ts'
import type { Turn } from '../turn/turn.ts'
import { answering } from './agent-thread.ts'
import type { OtherHosts } from './other-hosts.ts'
import type { Sessions } from './sessions.ts'

export interface ChainParts {
  readonly ledger: Pick<Ledger, 'turn'>
  readonly sessions: Pick<Sessions, 'rowOf'>
  readonly otherHosts: Pick<OtherHosts, 'chainBefore'>
}

/** The teams of a chain of asks, first asker first. */
export function chainOf(last: Turn, { ledger, sessions, otherHosts }: ChainParts): string[] {
  const above = last.facts.ancestors.flatMap((id) => {
    const row = ledger.turn(id)
    return row ? [{ id, pair: sessions.rowOf(row.session) }] : []
  })
  const chain = [...above, last]
  const { id: first, pair } = chain[0]!
  const before = otherHosts.chainBefore(first, pair.from) ?? [pair.from]
  return [...before, ...chain.map((turn) => answering(turn.pair))]
}
