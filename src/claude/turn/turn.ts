import type { Observable } from 'rxjs'
import type { Budget } from '../../base/protocol/budget.ts'
import type { JsonSchema } from '../../base/protocol/json-schema.ts'
import type { Pair } from '../../base/protocol/party.ts'
import type { BackgroundCommand, Outcome, Reason, Subagent, Usage } from '../../base/protocol/turn.ts'
import type { Line } from '../driver/line.ts'

/** How a turn ended. */
export interface TurnEnd {
  readonly outcome: Outcome
  readonly reason: Reason | null
  readonly detail: string | null
  readonly answer: string | null
  /** Of an ask with a schema: the value that was taken, JSON. */
  readonly value: string | null
  readonly partial: string | null
  readonly usage: Usage | null
  /** Commands that still ran in the background; null: none. */
  readonly background: readonly BackgroundCommand[] | null
  /** Claude Code's id of the conversation it belongs to. */
  readonly sessionId: string
  /** Milliseconds since the epoch. */
  readonly settledAt: number
}

/** What came back of a tool; milliseconds since the epoch. */
export interface ToolEnd {
  readonly toolUseId: string
  readonly endedAt: number
  readonly isError: boolean
}

/** What is fixed from the moment the ledger accepted it. */
export interface TurnFacts {
  readonly id: string
  readonly pair: Pair
  readonly message: string
  /** The turn whose agent asked, and the tool use it asked with. */
  readonly parentTurn: string | null
  readonly parentToolUse: string | null
  /** 1 for a first ask, one more for each ask on. */
  readonly hop: number
  /** The turns above it in its tree, the first one first. */
  readonly ancestors: readonly string[]
  /** What it may use up with everything it causes; null where only the budgets of its ancestors hold. */
  readonly budget: Budget | null
  /** What the answer has to meet; null: the answer is text. */
  readonly responseSchema: JsonSchema | null
  /** The asker waits for it. */
  readonly awaited: boolean
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number
  readonly contextReset: string | null
  /** The turn that it tries again. */
  readonly retryOf?: string
}

/**
 * One message and everything that answers it, while it lives: accepted → dispatched → settled, exactly once. This is what
 * anybody may read of it; only the worker of its session changes it (`OwnedTurn`).
 */
export interface Turn {
  readonly id: string
  readonly pair: Pair
  readonly facts: TurnFacts
  /** The time of each of its changes, so that its durations are true: see `timesFrom`. */
  readonly now: () => number
  /** The uuid of its last committed delivery. */
  readonly delivery: string | undefined
  /** A former daemon delivered it. */
  readonly takenUp: boolean
  /** When it came first in its queue, if it was not delivered in that moment. */
  readonly firstAt: number | null
  readonly dispatchedAt: number | null
  readonly startedAt: number | null
  /** From its acceptance to its first delivery; null before that. */
  readonly queuedMs: number | null
  readonly contextReset: string | null
  /** The value that was taken as its answer, JSON. */
  readonly value: string | undefined
  /** What was wrong with each value that was not taken, or that there was none. */
  readonly valueRefusals: readonly (readonly string[])[]
  /** The ids of the turns it waits for now. */
  readonly awaits: ReadonlySet<string>
  /** By the id of the tool use; the ledger gets them with the end of the turn. */
  readonly toolEnds: ReadonlyMap<string, ToolEnd>
  readonly subagents: { readonly all: readonly Subagent[] }
  /** Aborted when somebody cancels it, or a budget does; the reason is the Cancellation. */
  readonly cancelled: AbortSignal
  readonly end: TurnEnd | undefined
  readonly settled: Promise<TurnEnd>
  /** Every line of the CLI for this turn; replayed, completes when the turn settles. */
  readonly messages$: Observable<Line>
  /** Lines so far, without the pieces of a message being written. */
  readonly messageCount: number
  /** The text so far: finished messages, and the one being written. */
  readonly partialText: string
  /** What it is thinking right now; empty once it has thought it. */
  readonly partialThinking: string
  /** Every line up to now. */
  linesSoFar(): Promise<readonly Line[]>
  /** Characters of its lines as JSON, of those that memory holds. */
  readonly keptBytes: number
  /** When a line came, milliseconds since the epoch; undefined for one that has been on disk since. */
  arrivedAt(line: Line): number | undefined
  /** While the disk does not keep up with its lines: settles when it does again. */
  drained(): Promise<void> | undefined
}

/** What a former daemon did for a turn. */
export type Past = Pick<Turn, 'delivery' | 'firstAt' | 'dispatchedAt' | 'value'>
