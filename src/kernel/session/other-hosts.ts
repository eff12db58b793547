import type { Line } from '../../base/agent/line.ts'
import type { Budget } from '../../base/protocol/budget.ts'
import type { Limited } from '../../base/protocol/limit.ts'
import type { Notice } from '../../claude/driver/envelope.ts'
import type { AttachedFile } from '../turn/ask.ts'
import type { Turn, TurnEnd } from '../turn/turn.ts'
import type { Verdict } from '../turn/verdict.ts'
import type { SharedConversations } from './shared-conversations.ts'

/** A turn that another host answers: its facts, and the earlier teams in its chain, first asker first. */
export interface RemoteAsk extends Pick<Turn, 'id' | 'facts' | 'cancelled'> {
  readonly chain: readonly string[]
  /** How much the turn and everything it causes may use on the other host. */
  readonly budget: Budget | undefined
  /** The pair's notices, which precede the message. */
  readonly notices: readonly Notice[]
  readonly files: readonly AttachedFile[]
}

/** A question about a tool that a person is being asked on the other host. */
export interface AskedPerson {
  readonly what: string
  readonly host: string
}

/** What a turn waits for on its host: a person, or a limit of its account. */
export interface RemoteWait {
  readonly asks?: AskedPerson | undefined
  readonly limited?: Limited | undefined
}

/** The end of the turn as the other host reports it. */
export type RemoteEnd = Verdict & Pick<TurnEnd, 'value'> & { readonly contextReset: string | null }

/** Teams on other hosts, each with its own Iris. */
export interface OtherHosts {
  /** Conversations that another host may continue. */
  readonly shared: SharedConversations
  /** Whether this name belongs to a team on another host, even if no host offers the team at present. */
  isThere(team: string): boolean
  /**
   * The host of this remote team, while that host is asleep or cannot be reached; `since` in milliseconds since the
   * epoch.
   */
  away(team: string): { readonly host: string; readonly since: number } | undefined
  /** The full names of the teams that other hosts offer. */
  teamNames(): readonly string[]
  /** Throws `unknown_team` unless a host offers this team. */
  mustOffer(team: string): void
  /**
   * Lets the team's host answer the turn. Calls `took` when that host has committed the turn, and `hear` with lines as
   * they come; some lines may be lost. Calls `awaits` when the turn's reason for waiting there changes. Resolves to
   * undefined if Iris is stopping; the next start continues the turn.
   */
  carry(
    ask: RemoteAsk,
    on: {
      readonly took: () => void
      readonly hear: (line: Line) => void
      readonly awaits: (awaited: RemoteWait) => void
    },
  ): Promise<RemoteEnd | undefined>
  /** The earlier askers of this turn on other hosts, first asker first. Undefined if the chain began on this host. */
  chainBefore(turnId: string, from: string): readonly string[] | undefined
  /** The state of the account as reported by the host of the team, or by the host that answers this turn. */
  limitOf(team: string, turn?: string): Limited | undefined
}
