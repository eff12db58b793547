import type { ConfigProblem } from './config-problem.ts'
import type { PermissionView } from './operations/permissions.ts'
import type { SwitchboardSession } from './operations/switchboard.ts'
import type { StoreRebuilt } from './store.ts'
import type { Outcome, Reason, Usage } from './turn.ts'

/** Seed 001's states, the public names; nothing is decided from their mirror in the store after a restart. */
export type ProcessState = 'stopped' | 'spawning' | 'idle' | 'processing' | 'terminating'

interface PairIds {
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly sessionId: string
}

/** How many conversations of Iris are on disk, and what became of those on which disk and store did not agree. */
export interface Discovered {
  readonly found: number
  /** Of Iris, and unknown to the store: taken in. */
  readonly adopted: number
  /** Deleted by Claude Code, and put back. */
  readonly restored: number
  /** Answered in, and now without a transcript: the next message begins afresh. */
  readonly missing: number
  /** There, but the disk takes no second name for them and no copy. */
  readonly unkept: number
  /** Claude Code's ids of the first ten that are missing. */
  readonly missingIds: readonly string[]
}

/** Everything the daemon announces, one union. Names are seed 001's where it has them. */
export type IrisEvent =
  | ({
      readonly type: 'process-spawned'
      readonly teamName: string
      readonly pid: number
      /** It took up a conversation that is on disk. */
      readonly resumed: boolean
      /** From its start until it could be given a message. */
      readonly readyMs: number
    } & PairIds)
  | ({
      readonly type: 'process-exited'
      readonly teamName: string
      readonly pid: number
      readonly code: number | null
      readonly signal: string | null
    } & PairIds)
  /** It could not be started, died although nobody ended it, or said what cannot be believed. */
  | ({ readonly type: 'process-error'; readonly teamName: string; readonly error: string } & PairIds)
  /** All it started has gone too. `died`: it had exited before it was ended. */
  | ({
      readonly type: 'process-terminated'
      readonly teamName: string
      readonly pid: number
      readonly why: string
      readonly died: boolean
    } & PairIds)
  /** Of the session's place in the pool; whether a process that has one is busy, the turns tell. */
  | ({ readonly type: 'process-state'; readonly teamName: string; readonly state: ProcessState } & PairIds)
  /** Its process failed again and again; `retryAt` in milliseconds since the epoch. */
  /** Its machine cannot be reached any more; the process goes on there. */
  | ({ readonly type: 'link-lost'; readonly teamName: string; readonly host: string; readonly why: string } & PairIds)
  /** What the process said meanwhile follows. */
  | ({
      readonly type: 'link-restored'
      readonly teamName: string
      readonly host: string
      readonly lostMs: number
    } & PairIds)
  | ({
      readonly type: 'breaker-opened'
      readonly teamName: string
      readonly cause: string
      readonly retryAt: number
    } & PairIds)
  | ({ readonly type: 'breaker-closed'; readonly teamName: string } & PairIds)
  /** `ended`: how many processes hung at rest since the last one, and were ended. */
  | {
      readonly type: 'health-check'
      readonly status: { readonly activeProcesses: number; readonly maxProcesses: number; readonly ended: number }
    }
  | {
      readonly type: 'config-reloaded'
      readonly teamsAdded: readonly string[]
      readonly teamsRemoved: readonly string[]
      /** Changed ones, such as `settings.maxProcesses` or `teams.backend.model`. */
      readonly keys: readonly string[]
      /** Keys whose new value waits for the next start of the daemon. */
      readonly needsRestart: readonly string[]
    }
  /** What was in force stays. `text` says all of it for people. */
  | { readonly type: 'config-rejected'; readonly problems: readonly ConfigProblem[]; readonly text: string }
  | ({ readonly type: 'sessions-discovered' } & Discovered)
  | { readonly type: 'store-rebuilt'; readonly rebuilt: StoreRebuilt }
  /** The Claude Code that answers is not the one that was probed and found good; without `problem` it is again. */
  | { readonly type: 'claude-changed'; readonly problem?: string }
  | ({ readonly type: 'session-created'; readonly origin: SwitchboardSession['origin'] } & PairIds)
  /** `planned`: not because Claude Code has lost its conversation or could not begin it. */
  | ({ readonly type: 'session-archived'; readonly why: string; readonly planned: boolean } & PairIds)
  /** Archived because nobody used it, and live again. */
  | ({ readonly type: 'session-restored' } & PairIds)
  /** By Iris, or by Claude Code itself; null where it did not say. */
  | ({
      readonly type: 'session-compacted'
      readonly beforeTokens: number | null
      readonly afterTokens: number | null
    } & PairIds)
  | ({ readonly type: 'session-compaction-failed'; readonly error: string } & PairIds)
  /** It is found to be full, or to have room again. */
  | ({
      readonly type: 'session-context'
      readonly isFull: boolean
      readonly contextTokens: number | null
      readonly contextWindow: number | null
    } & PairIds)
  /** How it stands after all that happened to it, told at most four times a second. */
  | ({
      readonly type: 'session-changed'
      readonly session: SwitchboardSession
      readonly activeProcesses: number
      readonly maxProcesses: number
    } & PairIds)
  /** A person has it open in a claude of theirs, `pid`, as the session `as`: another one once they cleared or branched it. */
  | ({ readonly type: 'session-held'; readonly pid: number; readonly as: string } & PairIds)
  | ({ readonly type: 'session-released'; readonly pid: number } & PairIds)
  | ({
      readonly type: 'turn-accepted'
      readonly turnId: string
      readonly parentTurnId: string | null
      /** Messages before it in the queue of its session. */
      readonly ahead: number
    } & PairIds)
  /** `queuedMs`: from its acceptance to its first delivery. */
  | ({ readonly type: 'turn-delivered'; readonly turnId: string; readonly queuedMs: number } & PairIds)
  | ({ readonly type: 'turn-message'; readonly turnId: string; readonly message: unknown } & PairIds)
  | ({
      readonly type: 'turn-settled'
      readonly turnId: string
      readonly outcome: Outcome
      readonly reason: Reason | null
      /** What happened, in words. */
      readonly detail: string | null
      /** From its acceptance to its end. */
      readonly durationMs: number
      /** From its acceptance to its first delivery; null: it was never delivered. */
      readonly queuedMs: number | null
      /** Lines of the CLI for it, without the pieces of messages being written. */
      readonly messageCount: number
      readonly usage: Usage | null
    } & PairIds)
  /** A person has put the failure of the turn aside. */
  | ({ readonly type: 'failure-dismissed'; readonly turnId: string } & PairIds)
  /** A tool may not run before somebody has answered. */
  | { readonly type: 'permission:request'; readonly permission: PermissionView }
  /** Answered, or ended without an answer because nobody waits for one any more. */
  | { readonly type: 'permission:resolved'; readonly permission: PermissionView }
  | { readonly type: 'permission:timeout'; readonly permission: PermissionView }

/** How an event leaves the daemon: numbered, so that a reader can resume; `at` in milliseconds since the epoch. */
export type PublishedEvent = IrisEvent & { readonly sequence: number; readonly at: number }
