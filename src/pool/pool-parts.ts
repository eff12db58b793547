import type { PermissionLists } from '../claude/handed-rules.ts'
import type { Line } from '../claude/line.ts'
import type { ClaudeProcess } from '../claude/process.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../lib/log.ts'
import type { ProcessState } from '../protocol/event.ts'
import type { Session } from '../session/session.ts'
import type { BreakersParts } from './breakers.ts'
import type { Retries } from './launch.ts'
import type { TakeOvers } from './take-overs.ts'

export interface PoolParts extends BreakersParts {
  readonly log: Log
  readonly config: () => Config
  /** Starts the session's process and waits until it is ready. Throws `spawn_failed`, `spawn_timeout` and the like. */
  readonly launch: (session: Session, retries: Retries) => Promise<ClaudeProcess>
  /** The rules that a session's process is to have. Throws what the store throws. */
  readonly permissionLists: (session: Session) => PermissionLists
  readonly takeOvers: Pick<TakeOvers, 'holderOf' | 'whenLeft' | 'unlessHeld'>
  readonly mirror: (session: Session, state: ProcessState) => void
  /** The CLI had a turn of its own: nobody's answer. */
  readonly unsolicited: (session: Session, lines: readonly Line[]) => void
}
