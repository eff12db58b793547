import type { ConfigProblem } from './config-problem.ts'
import type { Pair } from './pair.ts'
import type { PermissionView } from './permission-view.ts'
import type { SwitchboardSession } from './session-view.ts'
import type { StoreRebuilt } from './store.ts'
import type { Outcome, Reason, Usage } from './turn.ts'
import type { WaitsFor } from './waits-for.ts'

/** The public names of the states, from seed 001. The store has a copy, which Iris ignores after a restart. */
export type ProcessState = 'stopped' | 'spawning' | 'idle' | 'processing' | 'terminating'

interface PairIds {
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly sessionId: string
}

/** How many conversations of Iris are on disk, and how Iris resolved differences between disk and store. */
export interface Discovered {
  readonly found: number
  /** On disk but unknown to the store; Iris added them to it. */
  readonly adopted: number
  /** Deleted by Claude Code; Iris restored them. */
  readonly restored: number
  /** They had answers but have no transcript now: the next message begins a new conversation. */
  readonly missing: number
  /** On disk, but Iris could make neither a hard link nor a copy. */
  readonly unkept: number
  /** Claude Code's ids of the first ten that are missing. */
  readonly missingIds: readonly string[]
}

/** Every event of the daemon. Names are from seed 001 where it has them. */
export type IrisEvent =
  | ({
      readonly type: 'process-spawned'
      readonly teamName: string
      readonly pid: number
      /** The process resumed a conversation on disk. */
      readonly resumed: boolean
      /** Milliseconds from its start until it could take a message. */
      readonly readyMs: number
    } & PairIds)
  | ({
      readonly type: 'process-exited'
      readonly teamName: string
      readonly pid: number
      readonly code: number | null
      readonly signal: string | null
    } & PairIds)
  /** The process could not be started, died by itself, or named another session as its own. */
  | ({ readonly type: 'process-error'; readonly teamName: string; readonly error: string } & PairIds)
  /** Iris has ended the process and all that it started. `died`: the process had exited by itself before. */
  | ({
      readonly type: 'process-terminated'
      readonly teamName: string
      readonly pid: number
      readonly why: string
      readonly died: boolean
    } & PairIds)
  /**
   * The state of the session's slot in the pool. Never `processing`: the events of turns say that a process is busy.
   */
  | ({ readonly type: 'process-state'; readonly teamName: string; readonly state: ProcessState } & PairIds)
  /** The process's machine is unreachable; the process continues there. */
  | ({ readonly type: 'link-lost'; readonly teamName: string; readonly host: string; readonly why: string } & PairIds)
  /** The machine is reachable again; the output of the process in the meantime follows. */
  | ({
      readonly type: 'link-restored'
      readonly teamName: string
      readonly host: string
      readonly lostMs: number
    } & PairIds)
  /** The session's process keeps failing; `retryAt` in milliseconds since the epoch. */
  | ({
      readonly type: 'breaker-opened'
      readonly teamName: string
      readonly cause: string
      readonly retryAt: number
    } & PairIds)
  | ({ readonly type: 'breaker-closed'; readonly teamName: string } & PairIds)
  /** `ended`: how many idle processes hung and were ended since the last health check. */
  | {
      readonly type: 'health-check'
      readonly status: { readonly activeProcesses: number; readonly maxProcesses: number; readonly ended: number }
    }
  | {
      readonly type: 'config-reloaded'
      readonly teamsAdded: readonly string[]
      readonly teamsRemoved: readonly string[]
      /** Changed keys, such as `settings.maxProcesses` or `teams.backend.model`. */
      readonly keys: readonly string[]
      /** Keys whose new value takes effect at the next start of the daemon. */
      readonly needsRestart: readonly string[]
    }
  /** The configuration in force stays. `text` lists all problems for people. */
  | { readonly type: 'config-rejected'; readonly problems: readonly ConfigProblem[]; readonly text: string }
  | ({ readonly type: 'sessions-discovered' } & Discovered)
  /** Messages older than `settings.keepTurns` were deleted. */
  | { readonly type: 'turns-pruned'; readonly turns: number }
  | { readonly type: 'store-rebuilt'; readonly rebuilt: StoreRebuilt }
  /**
   * `problem`: the installed Claude Code failed its probe, or is not the one that passed. Absent: all is well again.
   */
  | { readonly type: 'claude-changed'; readonly problem?: string }
  | ({ readonly type: 'session-created'; readonly origin: SwitchboardSession['origin'] } & PairIds)
  /** `planned` is false if Claude Code lost the conversation or could not begin it; `neverBegan` in the second case. */
  | ({
      readonly type: 'session-archived'
      readonly why: string
      readonly planned: boolean
      readonly neverBegan?: true
    } & PairIds)
  /** A dormant session, archived for disuse, is live again. */
  | ({ readonly type: 'session-restored' } & PairIds)
  /** Iris or Claude Code itself compacted the session. Null: Claude Code did not say. */
  | ({
      readonly type: 'session-compacted'
      readonly beforeTokens: number | null
      readonly afterTokens: number | null
    } & PairIds)
  | ({ readonly type: 'session-compaction-failed'; readonly error: string } & PairIds)
  /** The context of the session is full, or has room again. */
  | ({
      readonly type: 'session-context'
      readonly isFull: boolean
      readonly contextTokens: number | null
      readonly contextWindow: number | null
    } & PairIds)
  /** The session's state after one or more other events; at most four times a second. */
  | ({
      readonly type: 'session-changed'
      readonly session: SwitchboardSession
      readonly activeProcesses: number
      readonly maxProcesses: number
    } & PairIds)
  /**
   * A person has the session open in their own claude, `pid`. `as`: its session id there; another after a clear or
   * branch.
   */
  | ({ readonly type: 'session-held'; readonly pid: number; readonly as: string } & PairIds)
  | ({ readonly type: 'session-released'; readonly pid: number } & PairIds)
  | ({
      readonly type: 'turn-accepted'
      readonly turnId: string
      readonly parentTurnId: string | null
      /** Messages before it in the queue of its session. */
      readonly ahead: number
    } & PairIds)
  /** `queuedMs`: milliseconds from acceptance to the first delivery. */
  /** A message of the same conversation joined the running turn. */
  | ({ readonly type: 'turn-steered'; readonly turnId: string } & PairIds)
  | ({ readonly type: 'turn-delivered'; readonly turnId: string; readonly queuedMs: number } & PairIds)
  /** The conversation goes on at another host: this one took it or lost it, or sends its own message there. */
  | ({
      readonly type: 'conversation-moved'
      readonly kind: 'taken' | 'lost' | 'sent'
      readonly formerHost: string
      readonly host: string
    } & PairIds)
  /** The servers have lost records of this conversation's log: it had ended at the record `was`, and ends at `is` now; 0: it is empty. */
  | ({ readonly type: 'log-records-lost'; readonly was: number; readonly is: number } & PairIds)
  /** The servers between hosts have lost a mailbox, a log or the directory, which was made again. */
  | { readonly type: 'servers-lost'; readonly what: string }
  /** The host has a team together with the host in the team's full name: from now on it may get its messages. */
  | { readonly type: 'host-joined-team'; readonly team: string; readonly host: string }
  /** A person is asked on the host that answers the turn; null: no longer. */
  | ({ readonly type: 'turn-asks-elsewhere'; readonly turnId: string; readonly what: string | null } & PairIds)
  | ({ readonly type: 'turn-message'; readonly turnId: string; readonly message: unknown } & PairIds)
  | ({
      readonly type: 'turn-settled'
      readonly turnId: string
      readonly outcome: Outcome
      readonly reason: Reason | null
      /** What happened, in words. */
      readonly detail: string | null
      /** Milliseconds from acceptance to the end. */
      readonly durationMs: number
      /** Milliseconds from acceptance to the first delivery; null: never delivered. */
      readonly queuedMs: number | null
      /** Lines of the CLI for this turn, without partial messages. */
      readonly messageCount: number
      readonly usage: Usage | null
    } & PairIds)
  /** The agent spoke again after the turn had ended, or (`ended`) a command that the turn had left running was ended. */
  | ({ readonly type: 'turn-reported'; readonly turnId: string; readonly kind: 'said' | 'ended' } & PairIds)
  /** The turn is about to change a file that another turn at work has read or changed. Both agents learn it. */
  | ({
      readonly type: 'files-collided'
      /** Below the project. */
      readonly path: string
      readonly turnId: string
      readonly otherTurnId: string
    } & PairIds)
  /** Files that earlier answers of the team relied on have changed, or are again as they were. */
  | { readonly type: 'answers-drifted'; readonly team: string; readonly turns: number }
  /** A file has changed that this answer relied on, and its asker wanted to hear of it at once. */
  | ({ readonly type: 'answer-outdated'; readonly turnId: string; readonly path: string } & PairIds)
  /** An earlier answer was given again: nothing on which it relies has changed. */
  | ({ readonly type: 'answer-kept'; readonly turnId: string; readonly answeredAt: number } & PairIds)
  /** The account of the team is over a limit, or its login has run out; `until` in milliseconds since the epoch. */
  | { readonly type: 'account-limited'; readonly team: string; readonly window: string; readonly until: number }
  /** When `asker` asks `from`, `from` usually asks `to` next: the process for that was started. */
  | ({ readonly type: 'warmed-ahead'; readonly asker: string } & Omit<PairIds, 'sessionId'>)
  /** Of two idle processes this one stays, though it was used longer ago: its next message is expected sooner. */
  | ({ readonly type: 'process-kept'; readonly instead: Pair } & PairIds)
  /** A message that has not gone on waits now, for this reason; published once for each reason. */
  | ({ readonly type: 'turn-waits'; readonly turnId: string } & Pick<WaitsFor, 'kind' | 'what' | 'remedy'> & PairIds)
  /** Both wait for a process, and this turn is usually answered sooner. */
  | ({ readonly type: 'turn-overtook'; readonly turnId: string; readonly overtaken: string } & PairIds)
  /** Iris found a fault and acts on it; see core/insight/faults.ts. `subject`: a conversation, a team, a file. */
  | { readonly type: 'fault-found'; readonly fault: string; readonly subject: string; readonly action: string }
  /** The fault is proved to be healed, so long after it was found. */
  | { readonly type: 'fault-healed'; readonly fault: string; readonly subject: string; readonly tookMs: number }
  /** The weekly reflection: messages read, and suggestions that are open. */
  | { readonly type: 'reflected'; readonly asks: number; readonly suggestions: number }
  /** A person applied or refused a suggestion of `iris insight reflect`. */
  | {
      readonly type: 'suggestion-decided'
      readonly suggestionId: string
      readonly team: string
      readonly kind: 'claude-md' | 'rule'
      readonly decision: 'applied' | 'refused'
    }
  /** A message was scheduled, sent at its time, or is sent no more. */
  | { readonly type: 'schedules-changed' }
  /** A person dismissed the failure of the turn. */
  | ({ readonly type: 'failure-dismissed'; readonly turnId: string } & PairIds)
  /** Something of this conversation came into the owner's inbox, came back, or was marked. */
  | ({ readonly type: 'inbox-changed' } & PairIds)
  /** A tool waits until a person allows or denies it. */
  | { readonly type: 'permission:request'; readonly permission: PermissionView }
  /** A person answered, or the question ended because nobody waits for the answer any more. */
  | { readonly type: 'permission:resolved'; readonly permission: PermissionView }
  | { readonly type: 'permission:timeout'; readonly permission: PermissionView }

/** An event as the daemon publishes it: numbered, so that readers can resume; `at` in milliseconds since the epoch. */
export type PublishedEvent = IrisEvent & { readonly sequence: number; readonly at: number }
