import { isSystem, type Line, textDelta, textOf, thinkingDelta, toolResults } from '../claude/line.ts'
import { deferred } from '../lib/deferred.ts'
import type { Budget } from '../protocol/budget.ts'
import type { Pair } from '../protocol/party.ts'
import type { BackgroundCommand, Cancellation, Outcome, Reason, Usage } from '../protocol/turn.ts'
import type { MessageLog } from './message-log.ts'
import { Subagents } from './subagents.ts'

/** How a turn ended. */
export interface TurnEnd {
  readonly outcome: Outcome
  readonly reason: Reason | null
  readonly detail: string | null
  readonly answer: string | null
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
interface ToolEnd {
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
  /** The asker waits for it. */
  readonly awaited: boolean
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number
  readonly contextReset: string | null
}

/** One message and everything that answers it, while it lives: accepted → dispatched → settled, exactly once. */
export class Turn {
  readonly facts: TurnFacts
  /** The time of whatever befalls it, so that its durations are true: see `timesFrom`. */
  readonly now: () => number
  /** The uuid under which Claude has it now. */
  delivery: string | undefined
  /** A former daemon gave it to Claude. */
  takenUp = false
  /** When it came first in its queue, if it was not delivered in that moment. */
  firstAt: number | null = null
  dispatchedAt: number | null = null
  startedAt: number | null = null
  contextReset: string | null
  /** The asks it waits for right now. */
  readonly awaits = new Set<Turn>()
  /** What came back of its tools, by the id of the tool use; the ledger learns it with the turn's own end. */
  readonly toolEnds = new Map<string, ToolEnd>()
  #messageCount = 0
  readonly subagents = new Subagents()
  readonly #log: MessageLog
  readonly #settled = deferred<TurnEnd>()
  readonly #cancel = new AbortController()
  /** Of the lines in memory, without the pieces of a message being written. */
  readonly #arrivals = new WeakMap<Line, number>()
  #end: TurnEnd | undefined
  #finishedText = ''
  #streamingText = ''
  #thought = ''

  constructor(facts: TurnFacts, log: MessageLog, now: () => number) {
    this.facts = facts
    this.now = now
    this.contextReset = facts.contextReset
    this.#log = log
  }

  get id(): string {
    return this.facts.id
  }

  get pair(): Pair {
    return this.facts.pair
  }

  /** Every line of the CLI for this turn; replayed, completes when the turn settles. */
  get messages$() {
    return this.#log.messages$
  }

  /** While the disk does not keep up with its lines: settles when it does again. */
  drained(): Promise<void> | undefined {
    return this.#log.drained()
  }

  /** Every line up to now. */
  linesSoFar(): Promise<readonly Line[]> {
    return this.#log.soFar()
  }

  /** When a line came, milliseconds since the epoch; undefined for one that has been on disk since. */
  arrivedAt(line: Line): number | undefined {
    return this.#arrivals.get(line)
  }

  /** Nobody will ask for its lines again. */
  discard(): void {
    this.#log.discard()
  }

  get settled(): Promise<TurnEnd> {
    return this.#settled.promise
  }

  get end(): TurnEnd | undefined {
    return this.#end
  }

  /** Lines so far, without the pieces of a message being written. */
  get messageCount(): number {
    return this.#messageCount
  }

  /** From its acceptance to its first delivery; null before that. */
  get queuedMs(): number | null {
    return this.dispatchedAt === null ? null : this.dispatchedAt - this.facts.acceptedAt
  }

  /** Aborted when somebody cancels it, or a budget does; the reason is the Cancellation. */
  get cancelled(): AbortSignal {
    return this.#cancel.signal
  }

  cancel(why: Cancellation): void {
    this.#cancel.abort(why)
  }

  /** The text so far: finished messages, and the one being written. */
  get partialText(): string {
    return this.#finishedText + this.#streamingText
  }

  /** What it is thinking right now; empty once it has thought it. */
  get partialThinking(): string {
    return this.#thought
  }

  /** Its message is given to Claude once more from the beginning: what was said of it does not count. */
  beginAgain(): void {
    this.#finishedText = ''
    this.#streamingText = ''
    this.#thought = ''
  }

  take(line: Line): void {
    const now = this.now()
    this.#log.add(line)
    if (line.type !== 'stream_event') {
      this.#arrivals.set(line, now)
      this.#messageCount += 1
    }
    if (isSystem(line, 'init')) this.startedAt ??= now
    for (const { toolUseId, isError } of toolResults(line)) {
      this.toolEnds.set(toolUseId, { toolUseId, isError, endedAt: now })
    }
    this.subagents.take(line, now)
    this.#streamingText += textDelta(line)
    this.#thought += thinkingDelta(line)
    if (line.type === 'assistant' && typeof line['parent_tool_use_id'] !== 'string') {
      this.#finishedText += textOf(line)
      this.#streamingText = ''
      this.#thought = ''
    }
  }

  /** A second end is a bug, not an event. */
  settle(end: TurnEnd): void {
    if (this.#end !== undefined) throw new Error(`turn ${this.id} settled twice`)
    this.#end = end
    this.#log.close()
    this.#settled.resolve(end)
  }
}
