import type { AgentEvidence } from '../../base/agent/agent.ts'
import type { Line } from '../../base/agent/line.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Budget } from '../../base/protocol/budget.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import type { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Compactions } from '../../platform/store/compactions.ts'
import type { Ledger } from '../../platform/store/ledger.ts'
import type { Notices } from '../../platform/store/notices.ts'
import type { TreeRows } from '../../platform/store/trees.ts'
import type { Launcher } from '../pool/launch.ts'
import type { Pool } from '../pool/pool.ts'
import type { TeamSetups } from '../pool/team-setups.ts'
import type { Seams } from '../session/seams.ts'
import type { Session } from '../session/session.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Ends } from '../turn/ends.ts'
import type { Turn, TurnEnd } from '../turn/turn.ts'

/** Points in a turn. A crash between any two of them must neither lose nor duplicate anything. */
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
  readonly seams: Seams
  readonly launcher: Pick<Launcher, 'isRemote' | 'isUnreachable' | 'place' | 'transcriptOf'> & {
    readonly setups: Pick<TeamSetups, 'missingIn'>
  }
  readonly evidence: AgentEvidence
  readonly publish: (event: IrisEvent) => void
  readonly newId: () => string
  /** Transcripts for people. Iris never waits until they are written. */
  readonly transcripts: TranscriptFiles
  /** Directory for turns' lines that exceed the memory limit. */
  readonly spillDirectory: string
  /** Called at each checkpoint. Does nothing, except in tests that crash Iris there on purpose. */
  readonly at: (checkpoint: Checkpoint, turn: Turn) => void
}

/** State shared by the workers of all sessions: the turns in memory, and whether work may begin or Iris is stopping. */
export interface WorkerBoard {
  readonly find: (turnId: string) => Turn | undefined
  /** Registers a turn that is in the ledger. */
  readonly accepted: (turn: Turn, session: Session) => void
  /** Called for each line of a turn that is being answered. */
  readonly saw: (turn: Turn, line: Line) => void
  /** How much the turn and everything it causes may still use. */
  readonly leftFor: (turn: Turn) => Budget | undefined
  /**
   * Called when a turn has ended. Once nobody reads the turn's lines, the board calls `discard`, which deletes them.
   */
  readonly settled: (turn: Turn, end: Pick<TurnEnd, 'usage'>, discard: () => void) => void
  /** False until the processes of an earlier daemon on this machine have exited, and while Iris is stopping. */
  readonly mayBegin: () => boolean
  /** Whether Iris is stopping. Interrupted turns then stay unsettled in the ledger, and the next start resumes them. */
  readonly isLeaving: () => boolean
}
