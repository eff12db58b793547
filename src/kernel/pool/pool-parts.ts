import type { Agent } from '../../base/agent/agent.ts'
import type { PermissionLists } from '../../base/agent/permission-lists.ts'
import type { Task } from '../../base/agent/task.ts'
import type { EndedUnsolicitedTurn } from '../../base/agent/unsolicited-turn.ts'
import type { Log } from '../../base/lib/log.ts'
import type { ProcessState } from '../../base/protocol/event.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Holders } from '../session/holders.ts'
import type { Session } from '../session/session.ts'
import type { BreakersParts } from './breakers.ts'

/** What is usual for a conversation: see insight/usual-use.ts. */
export interface Usual {
  /**
   * How long a place is held for each message that comes in it, milliseconds. `now`: since the epoch; `unusedMs`: how long its process has
   * been unused, for a conversation without a message.
   */
  msPerMessage(pair: Pair, now: number, unusedMs: number): number
  /** How long its answers take, milliseconds. */
  answerMs(pair: Pair): number
}

export interface PoolParts extends BreakersParts {
  readonly log: Log
  readonly config: () => Config
  /** Starts the session's process and waits until it is ready. Throws `spawn_failed`, `spawn_timeout` and others. */
  readonly launch: Agent<Session>['launch']
  /** See `TeamDirectories.of`. */
  readonly directoryOf: (team: string) => Promise<string | undefined>
  /** See `TeamPrograms.loginHolds`. */
  readonly loginHolds: (team: string) => Promise<boolean>
  /** See `AccountLimits.refusedAt`. */
  readonly loginRefusedAt: (team: string) => number | undefined
  readonly takeUp: Agent<Session>['takeUp']
  /** The rules for a session's process. Throws what the store throws. */
  readonly permissionLists: (session: Session) => PermissionLists
  /** What decides who gets a place first and which process makes room; undefined: the order of arrival and of use. */
  readonly usual: () => Usual | undefined
  readonly takeOvers: Pick<Holders, 'holderOf' | 'whenLeft' | 'unlessHeld'>
  readonly mirror: (session: Session, state: ProcessState) => void
  /** Records what Claude Code does without a message. */
  readonly unsolicited: {
    /** Takes a turn that Claude Code began by itself. */
    ended(session: Session, turn: EndedUnsolicitedTurn): void
    /** Takes the background commands that ended with their process. */
    cutOff(session: Session, commands: readonly Task[]): void
  }
}
