import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import type { Pool } from '../../kernel/pool/pool.ts'
import type { RemoteWait } from '../../kernel/session/other-hosts.ts'
import type { WaitFacts } from '../../kernel/session/wait-graph.ts'
import type { Config } from '../../platform/config/config.ts'
import type { AccountLimits } from '../accounts/account-limits.ts'
import type { IncomingParts } from './incoming.ts'
import type { TakeLeadParts } from './lead-claim.ts'
import type { ReportedParts } from './reported.ts'
import type { ClusterRows } from './rows/cluster.ts'
import type { ClusterBegunRows } from './rows/cluster-begun.ts'
import type { SharedParts } from './shared.ts'
import type { Traces } from './traces.ts'

/** The parts that a host needs to work with others. */
export interface ClusterParts
  extends Pick<SharedParts, 'launcher' | 'giveUp' | 'sessionOf' | 'openTurns' | 'newId'>,
    Pick<TakeLeadParts, 'sessions' | 'machines'> {
  readonly pool: TakeLeadParts['pool'] & Pick<Pool, 'holders'>
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly rows: ClusterRows
  readonly begunRows: ClusterBegunRows
  readonly publish: (event: IrisEvent) => void
  /** Memory available to new processes. */
  readonly freeMiB: () => number
  readonly traces: Traces
  readonly notices: IncomingParts['notices']
  readonly ledger: ReportedParts['ledger']
  readonly accountLimits: Pick<AccountLimits, 'of' | 'changedElsewhere'>
  /** Built after this object, because turns may be on other hosts. */
  readonly turns: () => Pick<Turns, 'ask' | 'handle'>
  /** Which of this host's turns wait for which. */
  readonly waits: () => WaitFacts
  /** What a turn is waiting for. `self` is the name of this host. */
  readonly awaits: (turn: string, self: string) => Promise<RemoteWait>
}
