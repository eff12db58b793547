import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { Line } from '../../claude/driver/line.ts'
import type { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import type { Turn, TurnEnd } from '../../claude/turn/turn.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Compactions } from '../../platform/store/compactions.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { Notices } from '../../platform/store/notices.ts'
import type { TreeRows } from '../../platform/store/trees.ts'
import type { AccountLimits } from '../pool/account-limits.ts'
import type { Launcher } from '../pool/launch.ts'
import type { Pool } from '../pool/pool.ts'
import type { TakeOvers } from '../pool/take-overs.ts'
import type { Session } from '../session/session.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Ends } from './ends.ts'

/** The moments between which a crash must lose and double nothing. */
export type Checkpoint = 'accepted' | 'written' | 'result-read' | 'settled'

export interface OrchestratorParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly ledger: Ledger
  readonly trees: TreeRows
  readonly notices: Notices
  readonly ends: Ends
  readonly sessions: Sessions
  readonly compactions: Compactions
  readonly pool: Pool
  readonly accountLimits: AccountLimits
  readonly takeOvers: Pick<TakeOvers, 'holderOf' | 'whenLeft'>
  readonly launcher: Pick<Launcher, 'evidenceOf' | 'isElsewhere' | 'isUnreachable' | 'transcriptOf'>
  /** What a turn is told of who asks, where its role says so; data that becomes JSON. */
  readonly contextOf: (session: Session, turnId: string) => object | undefined
  readonly publish: (event: IrisEvent) => void
  readonly newId: () => string
  /** For people to read; nobody waits for them. */
  readonly transcripts: TranscriptFiles
  /** Directory for lines of turns that outgrow memory. */
  readonly spillDirectory: string
  /** Passed at each checkpoint; does nothing unless whoever composed Iris wants to crash it there. */
  readonly at: (checkpoint: Checkpoint, turn: Turn) => void
}

/** What the workers of all sessions share: the living turns, and whether Iris begins or ends work. */
export interface WorkerBoard {
  readonly find: (turnId: string) => Turn | undefined
  /** Registers a turn that the ledger has. */
  readonly accepted: (turn: Turn, session: Session) => void
  readonly saw: (turn: Turn, line: Line) => void
  /** `discard`: nobody will ask for the lines of the turn again. */
  readonly settled: (turn: Turn, end: Pick<TurnEnd, 'usage'>, discard: () => void) => void
  /** Not before the processes of a dead predecessor have gone, and not while Iris stops. */
  readonly mayBegin: () => boolean
  /** Iris stops: what its end cuts off stays in the ledger as it is, and the next start takes it up. */
  readonly isLeaving: () => boolean
}
