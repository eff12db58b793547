import type { Line } from '../../base/agent/line.ts'
import type { Limited } from '../../base/protocol/limit.ts'
import type { Outcome, Reason } from '../../base/protocol/turn.ts'
import type { Turn } from './turn.ts'

/** Whether Claude Code accounts can accept messages. Messages wait while their team's account is over a limit. */
export interface AccountWaits {
  /**
   * The limit that the team's account has reached. Undefined while the account is under its limits. For a team on
   * another host, that host's limits apply. `turn` is needed because several hosts may have the team, and only one of
   * them answers this message.
   */
  readonly of: (team: string, turn?: string) => Limited | undefined
  /**
   * Throws `limited` if the asker's wait or the message's deadline ends before the limit does; never throws if the ask
   * has neither. An ask for a team whose login has expired is accepted and tries the login at once, since the person
   * may just have logged in.
   */
  readonly refuse: (team: string, waitsMs?: number, timeMs?: number) => void
  /**
   * Resolves when the account is under its limits, when this message should try the login, or when the message is
   * cancelled.
   */
  readonly passed: (team: string, turn: Pick<Turn, 'id' | 'cancelled'>) => Promise<void>
  /** Reads limits from a line of this team's process. The latest report applies. */
  readonly saw: (team: string, line: Line) => void
  /**
   * Judges by the end of a delivery whether the account's login works. A login that worked before and is now refused
   * has expired: messages wait for it. A login that never worked is a mistake, and its messages fail.
   */
  readonly judged: (team: string, end: { readonly outcome: Outcome; readonly reason: Reason | null }) => void
  /** Whether this message is waiting for its account. */
  readonly holds: (turn: string) => boolean
  /**
   * When the team's login was last refused, in milliseconds on the daemon's clock of elapsed time. Undefined if it
   * never was.
   */
  readonly refusedAt: (team: string) => number | undefined
  /**
   * Records the limit for which this message waits on the host that answers it, as reported by that host. `limited` is
   * undefined if the message does not wait, or no longer does.
   */
  readonly waitsElsewhere: (turn: string, limited: Limited | undefined) => void
}
