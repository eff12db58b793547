import type { SwitchboardSession } from './session-view.ts'
import type { StoreRebuilt } from './store.ts'
import type { Outcome, Reason, Usage } from './turn.ts'
import type { WaitsFor } from './waits-for.ts'

/**
 * The public names of the states, from seed 001 (see docs/decisions/0001). The store has a copy, which Iris ignores after
 * a restart.
 */
export type ProcessState = 'stopped' | 'spawning' | 'idle' | 'processing' | 'terminating'

/** Names the conversation of an event. */
export interface PairIds {
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

/** The events of the kernel, by their types. Names are from seed 001 if it has them. */
export interface KernelEvents {
  readonly 'process-spawned': PairIds & {
    readonly teamName: string
    readonly pid: number
    /** Whether the process resumed a conversation on disk. */
    readonly resumed: boolean
    /** Milliseconds from the start of the process until it could accept a message. */
    readonly readyMs: number
  }
  readonly 'process-exited': PairIds & {
    readonly teamName: string
    readonly pid: number
    readonly code: number | null
    readonly signal: string | null
  }
  /** The process could not start, died on its own, or reported a different session. */
  readonly 'process-error': PairIds & { readonly teamName: string; readonly error: string }
  /** Iris has ended the process and everything it started. `died`: the process had already exited on its own. */
  readonly 'process-terminated': PairIds & {
    readonly teamName: string
    readonly pid: number
    readonly why: string
    readonly died: boolean
  }
  /**
   * The state of the session's slot in the pool. Never `processing`: the events of turns say that a process is busy.
   */
  readonly 'process-state': PairIds & { readonly teamName: string; readonly state: ProcessState }
  /** The process's machine is unreachable; the process continues there. */
  readonly 'link-lost': PairIds & { readonly teamName: string; readonly host: string; readonly why: string }
  /** The machine is reachable again; the output of the process in the meantime follows. */
  readonly 'link-restored': PairIds & {
    readonly teamName: string
    readonly host: string
    readonly lostMs: number
  }
  /** The session's process keeps failing; `retryAt` in milliseconds since the epoch. */
  readonly 'breaker-opened': PairIds & {
    readonly teamName: string
    readonly cause: string
    readonly retryAt: number
  }
  readonly 'breaker-closed': PairIds & { readonly teamName: string }
  /** `ended`: how many idle processes hung and were ended since the last health check. */
  readonly 'health-check': {
    readonly status: { readonly activeProcesses: number; readonly maxProcesses: number; readonly ended: number }
  }
  readonly 'sessions-discovered': Discovered
  /** Messages older than `settings.keepTurns` were deleted. */
  readonly 'turns-pruned': { readonly turns: number }
  readonly 'store-rebuilt': { readonly rebuilt: StoreRebuilt }
  readonly 'session-created': PairIds & { readonly origin: SwitchboardSession['origin'] }
  /**
   * `planned` is false if Claude Code lost the conversation or could not begin it; `neverBegan` is set in the second
   * case.
   */
  readonly 'session-archived': PairIds & {
    readonly why: string
    readonly planned: boolean
    readonly neverBegan?: true
  }
  /** A dormant session, archived for disuse, is live again. */
  readonly 'session-restored': PairIds
  /** Iris or Claude Code itself compacted the session. Null if Claude Code did not say. */
  readonly 'session-compacted': PairIds & {
    readonly beforeTokens: number | null
    readonly afterTokens: number | null
  }
  readonly 'session-compaction-failed': PairIds & { readonly error: string }
  /** The context of the session is full, or has room again. */
  readonly 'session-context': PairIds & {
    readonly isFull: boolean
    readonly contextTokens: number | null
    readonly contextWindow: number | null
  }
  readonly 'turn-accepted': PairIds & {
    readonly turnId: string
    readonly parentTurnId: string | null
    /** The number of messages before this one in the queue of its session. */
    readonly ahead: number
  }
  /** A message of the same conversation joined the running turn. */
  readonly 'turn-steered': PairIds & { readonly turnId: string }
  /** `queuedMs`: milliseconds from acceptance to the first delivery. */
  readonly 'turn-delivered': PairIds & { readonly turnId: string; readonly queuedMs: number }
  readonly 'turn-message': PairIds & { readonly turnId: string; readonly message: unknown }
  readonly 'turn-settled': PairIds & {
    readonly turnId: string
    readonly outcome: Outcome
    readonly reason: Reason | null
    /** What happened, in words. */
    readonly detail: string | null
    /** Milliseconds from acceptance to the end. */
    readonly durationMs: number
    /** Milliseconds from acceptance to the first delivery; null if it was never delivered. */
    readonly queuedMs: number | null
    /** How many lines the CLI printed for this turn, without partial messages. */
    readonly messageCount: number
    readonly usage: Usage | null
  }
  /**
   * The agent spoke again after the turn had ended, or (`ended`) a command that the turn had left running was ended.
   */
  readonly 'turn-reported': PairIds & { readonly turnId: string; readonly kind: 'said' | 'ended' }
  /** A message is now waiting, for this reason; published once for each reason. */
  readonly 'turn-waits': Pick<WaitsFor, 'kind' | 'what' | 'remedy'> & PairIds & { readonly turnId: string }
}

/** Every event of the daemon, by its type. The contract of a feature adds its own here. */
export interface EventTypes extends KernelEvents {}

/** Every event of the daemon. */
export type IrisEvent = { [Type in keyof EventTypes]: { readonly type: Type } & EventTypes[Type] }[keyof EventTypes]

/** The events of these types, as the daemon publishes them. */
export type PublishedOf<Type extends keyof EventTypes> = Extract<PublishedEvent, { type: Type }>

/** An event as the daemon publishes it: numbered, so that readers can resume; `at` in milliseconds since the epoch. */
export type PublishedEvent = IrisEvent & { readonly sequence: number; readonly at: number }
