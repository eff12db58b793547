import type { Line } from '../../base/agent/line.ts'
import type { Budget } from '../../base/protocol/budget.ts'
import type { Limited } from '../../base/protocol/limit.ts'
import type { Notice } from '../../claude/driver/envelope.ts'
import type { AttachedFile } from '../turn/ask.ts'
import type { Turn, TurnEnd } from '../turn/turn.ts'
import type { Verdict } from '../turn/verdict.ts'
import type { SharedConversations } from './shared-conversations.ts'

/** A turn that another host answers: its facts, and the teams that asked before it, the first asker first. */
export interface RemoteAsk extends Pick<Turn, 'id' | 'facts' | 'cancelled'> {
  readonly chain: readonly string[]
  /** What it may use there, with everything it causes. */
  readonly budget: Budget | undefined
  /** The pair's notices, which go before the message. */
  readonly notices: readonly Notice[]
  readonly files: readonly AttachedFile[]
}

/** A person is asked about a tool, on that host. */
export interface AskedPerson {
  readonly what: string
  readonly host: string
}

/** What a turn waits for on its host: a person, or a limit of its account. */
export interface RemoteWait {
  readonly asks?: AskedPerson | undefined
  readonly limited?: Limited | undefined
}

/** How the other host says that the turn ended. */
export type RemoteEnd = Verdict & Pick<TurnEnd, 'value'> & { readonly contextReset: string | null }

/** Teams on other hosts, each with an Iris of its own. */
export interface OtherHosts {
  /** Conversations that another host may go on with. */
  readonly shared: SharedConversations
  /** Whether this names a team on another host, offered now or ever. */
  isThere(team: string): boolean
  /** The host of this team of another host while it is asleep or cannot be reached; `since` in milliseconds since the epoch. */
  away(team: string): { readonly host: string; readonly since: number } | undefined
  /** The full names of the teams that other hosts offer. */
  teamNames(): readonly string[]
  /** Throws `unknown_team` unless a host offers this team. */
  mustOffer(team: string): void
  /**
   * Has the turn answered by its team's host. Calls `took` once that host has committed it, and `hear` with lines as they
   * come; some may be lost. Calls `awaits` when what the turn waits for there changes. Undefined: Iris stops, and the next start goes on.
   */
  carry(
    ask: RemoteAsk,
    on: {
      readonly took: () => void
      readonly hear: (line: Line) => void
      readonly awaits: (awaited: RemoteWait) => void
    },
  ): Promise<RemoteEnd | undefined>
  /** Who asked before this turn on other hosts, the first asker first; undefined: it began here. */
  chainBefore(turnId: string, from: string): readonly string[] | undefined
  /** What the host of another host's team, or of this turn for it, says of its account. */
  limitOf(team: string, turn?: string): Limited | undefined
}
