import type { Observable } from 'rxjs'
import type { Line } from '../../base/agent/line.ts'
import type { Attachment } from '../../base/protocol/attachment.ts'
import type { Budget } from '../../base/protocol/budget.ts'
import type { Metadata } from '../../base/protocol/callback.ts'
import type { JsonSchema } from '../../base/protocol/json-schema.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { BackgroundCommand, Outcome, Reason, Subagent, Usage } from '../../base/protocol/turn.ts'
import type { WaitsFor } from '../../base/protocol/waits-for.ts'

/** How a turn ended. */
export interface TurnEnd {
  readonly outcome: Outcome
  readonly reason: Reason | null
  readonly detail: string | null
  readonly answer: string | null
  /** The accepted value of an ask with a schema, as JSON. */
  readonly value: string | null
  readonly partial: string | null
  readonly usage: Usage | null
  /** Commands that were still running in the background. Null if there were none. */
  readonly background: readonly BackgroundCommand[] | null
  /** Claude Code's id of the conversation. */
  readonly sessionId: string
  /** Milliseconds since the epoch. */
  readonly settledAt: number
}

/** A tool's return; `endedAt` in milliseconds since the epoch. */
export interface ToolEnd {
  readonly toolUseId: string
  readonly endedAt: number
  readonly isError: boolean
}

/** The facts of a turn that never change after its acceptance. */
export interface TurnFacts {
  readonly id: string
  readonly pair: Pair
  readonly message: string
  /** The turn whose agent asked, and the tool use with which it asked. */
  readonly parentTurn: string | null
  readonly parentToolUse: string | null
  /** The turn's place in the chain of asks: 1 for a first ask, one more for each further ask. */
  readonly hop: number
  /**
   * Ids of the turns above this one in its tree, first ask first. If such a turn shares a budget, its id is preceded by
   * that budget's id.
   */
  readonly ancestors: readonly string[]
  /** How much the turn and everything it causes may use. Null if only the budgets of its ancestors apply. */
  readonly budget: Budget | null
  /** The id of a budget that the turn shares with other turns. */
  readonly sharedBudget: string | null
  /** The schema of the answer. Null if the answer is text. */
  readonly responseSchema: JsonSchema | null
  /** The files that came with the message. Null if there were none. */
  readonly attachments: readonly Attachment[] | null
  /** The callback in config.yaml that receives the turn's events. Null if there is none. */
  readonly callback: string | null
  /** The metadata to return to the asking program. Null if there is none. */
  readonly metadata: Metadata | null
  /** The priority among waiting turns: 1 for high, 0 for normal, -1 for low. */
  readonly priority: number
  /** Whether the asker waits for the answer. */
  readonly awaited: boolean
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number
  readonly contextReset: string | null
  /** The turn that this one retries. */
  readonly retryOf?: string
}

/**
 * A turn in memory: one message and everything that answers it. It is accepted, then dispatched unless it ends before
 * that, and settled exactly once. This is the read-only view; only the session worker changes a turn (`OwnedTurn`).
 */
export interface Turn {
  readonly id: string
  readonly pair: Pair
  readonly facts: TurnFacts
  /**
   * The clock of this turn, in milliseconds since the epoch. Differences between its times are true durations: see
   * `timesFrom`.
   */
  readonly now: () => number
  /** The uuid of its last committed delivery. */
  readonly delivery: string | undefined
  /** Whether an earlier daemon has already delivered the turn. */
  readonly takenUp: boolean
  /** When the turn became the first in its queue, unless it was delivered at once. Milliseconds since the epoch. */
  readonly firstAt: number | null
  readonly dispatchedAt: number | null
  readonly startedAt: number | null
  /** Milliseconds from acceptance to the first delivery. Null before the first delivery. */
  readonly queuedMs: number | null
  readonly contextReset: string | null
  /** The value that was accepted as the answer, as JSON. */
  readonly value: string | undefined
  /** The errors of each refused value. A missing value counts as a refused value. */
  readonly valueRefusals: readonly (readonly string[])[]
  /** The ids of the turns that it is waiting for. */
  readonly awaits: ReadonlySet<string>
  /** The tool, team and host of a question that a person is being asked on another host, as one text. */
  readonly asksElsewhere: string | undefined
  /** Since when and why the model's API refuses requests while Claude Code tries again. Undefined once it has answered. */
  readonly refusal: (Pick<WaitsFor, 'what' | 'remedy'> & { readonly since: number }) | undefined
  /** Why the turn seems to make no progress, in words. Undefined if it makes progress. */
  readonly stuck: string | undefined
  /** The tokens that the turn's lines have reported so far. The turn's end has the tokens of its result. */
  readonly usageSoFar: Usage
  /** The ends of its tools, by tool use id. The ledger records them with the end of the turn. */
  readonly toolEnds: ReadonlyMap<string, ToolEnd>
  readonly subagents: { readonly all: readonly Subagent[] }
  /** Aborts when a caller or a budget cancels the turn; the reason is a `Cancellation`. */
  readonly cancelled: AbortSignal
  readonly end: TurnEnd | undefined
  readonly settled: Promise<TurnEnd>
  /** Every line of the CLI for this turn, earlier lines first. Completes when the turn settles. */
  readonly messages$: Observable<Line>
  /** The number of lines so far, without partial messages. */
  readonly messageCount: number
  /** The text so far: finished messages and the one in progress. */
  readonly partialText: string
  /** The thought in progress; empty once the thought is complete. */
  readonly partialThinking: string
  /** All lines up to now. */
  linesSoFar(): Promise<readonly Line[]>
  /** Approximate size of the lines in memory, in characters. */
  readonly keptBytes: number
  /**
   * When a line arrived, milliseconds since the epoch; undefined for partial messages and lines read back from disk.
   */
  arrivedAt(line: Line): number | undefined
  /** While the disk is too slow for the lines, a promise that resolves when it has caught up; otherwise undefined. */
  drained(): Promise<void> | undefined
}

/** The progress of a turn under an earlier daemon. */
export type Past = Pick<Turn, 'delivery' | 'firstAt' | 'dispatchedAt' | 'value' | 'valueRefusals'>
