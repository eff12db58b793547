import { roleThread } from '../../base/protocol/role.ts'
import type { Ask } from '../../kernel/turn/ask.ts'
import { partsOf } from './host-names.ts'
import type { Hosts } from './hosts.ts'
import { type Claim, claim, type TakeLeadParts } from './lead-claim.ts'
import type { KnownOfTurn } from './letters.ts'
import type { ClusterRows } from './rows/cluster.ts'
import type { Shared } from './shared.ts'

export interface ClaimsParts extends Omit<TakeLeadParts, 'isAwake' | 'passOn' | 'hasHad' | 'another'> {
  readonly hosts: Hosts
  readonly shared: Pick<Shared, 'concerns' | 'leadOf'>
  readonly rows: Pick<ClusterRows, 'ask'>
  readonly isDrained: () => boolean
}

/** Decides which host answers an ask if several hosts may lead its conversation. */
export class Claims {
  readonly #parts: ClaimsParts

  constructor(parts: ClaimsParts) {
    this.#parts = parts
  }

  /** Undefined if no other host shares this team's conversations. */
  claim<T>(
    ask: Ask,
    turn: string,
    known: KnownOfTurn | undefined,
    then: (claim: Claim) => Promise<T>,
  ): Promise<T> | undefined {
    const { shared, hosts, rows, isDrained } = this.#parts
    const { pair, role } = ask
    const of = { ...pair, thread: role === undefined ? pair.thread : roleThread(role, pair.thread) }
    if (!shared.concerns(of)) return undefined
    const another = (names: readonly string[]): string | undefined => this.#another(ask, names)
    const parts: TakeLeadParts = {
      ...this.#parts,
      // The leading host continues, even if its Iris is older or its configuration does not name this host.
      isAwake: (host) => hosts.mayBeAwake(host) && hosts.shares(host, pair.to),
      hasHad: (id) => rows.ask(id)?.refusal === null,
      another,
      passOn: (names) => (isDrained() ? another(names) : undefined),
    }
    const lead = shared.leadOf(of)
    return lead.alone(async () => then(await claim(lead, of, { turn, known }, parts)))
  }

  /** Excludes this host and the asker's host, because a host sends no message to itself. */
  #another({ pair: { from, to } }: Ask, names: readonly string[]): string | undefined {
    const { hosts, self } = this.#parts
    const may = (name: string): boolean => name !== self() && name !== partsOf(from)?.host
    const others = names.filter((name) => may(name) && hosts.hasWith(name, to, self()))
    return hosts.leastLoaded(others)
  }
}
