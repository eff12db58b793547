import type { Agent } from '../../base/agent/agent.ts'
import type { Task } from '../../base/agent/run.ts'
import type { EndedUnsolicitedTurn } from '../../base/agent/unsolicited-turn.ts'
import type { Log } from '../../base/lib/log.ts'
import type { ProcessState } from '../../base/protocol/event.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Seams } from '../session/seams.ts'
import type { Session } from '../session/session.ts'
import type { BreakersParts } from './breakers.ts'

export interface PoolParts extends BreakersParts {
  readonly log: Log
  readonly config: () => Config
  /** Starts the session's process and waits until it is ready. Throws `spawn_failed`, `spawn_timeout` and others. */
  readonly launch: Agent<Session>['launch']
  /** See `TeamDirectories.of`. */
  readonly directoryOf: (team: string) => Promise<string | undefined>
  /** See `TeamPrograms.loginHolds`. */
  readonly loginHolds: (team: string) => Promise<boolean>
  readonly takeUp: Agent<Session>['takeUp']
  readonly seams: Pick<Seams, 'accounts' | 'holders' | 'rules' | 'usualTimes'>
  readonly mirror: (session: Session, state: ProcessState) => void
  /** Records what Claude Code does without a message. */
  readonly unsolicited: {
    /** Called with an unsolicited turn that has ended. */
    ended(session: Session, turn: EndedUnsolicitedTurn): void
    /** Called with the background commands that ended with their process. */
    cutOff(session: Session, commands: readonly Task[]): void
  }
}
