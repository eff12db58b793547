import { beginsMessage, isSystem, type Line, textDelta, thinkingDelta, toolResults } from '../../base/agent/line.ts'
import { deferred } from '../../base/lib/deferred.ts'
import { apiRefusal } from '../../base/protocol/api-refusal.ts'
import type { Pair } from '../../base/protocol/pair.ts'
import type { Cancellation, Usage } from '../../base/protocol/turn.ts'
import { Speech } from '../../claude/driver/answer.ts'
import { TokenMeter } from '../../claude/driver/token-meter.ts'
import type { MessageLog } from './message-log.ts'
import { Subagents } from './subagents.ts'
import type { Past, ToolEnd, Turn, TurnEnd, TurnFacts } from './turn.ts'

/** A turn with its transitions. Each is committed to the ledger before it changes the turn in memory. */
export class OwnedTurn implements Turn {
  #facts: TurnFacts
  readonly now: () => number
  readonly takenUp: boolean
  readonly subagents = new Subagents()
  readonly #awaits = new Set<string>()
  readonly #toolEnds = new Map<string, ToolEnd>()
  readonly #log: MessageLog
  readonly #settled = deferred<TurnEnd>()
  readonly #cancel = new AbortController()
  /** Arrival times of the lines in memory, except those of partial messages. */
  readonly #arrivals = new WeakMap<Line, number>()
  #delivery: string | undefined
  #firstAt: number | null
  #dispatchedAt: number | null
  #startedAt: number | null = null
  #contextReset: string | null
  #value: string | undefined
  readonly #valueRefusals: (readonly string[])[] = []
  #asksElsewhere: string | undefined
  #refusal: Turn['refusal']
  #stuck: string | undefined
  readonly #meter = new TokenMeter()
  #end: TurnEnd | undefined
  #messageCount = 0
  #speech = new Speech()
  #streamingText = ''
  #thought = ''

  constructor(facts: TurnFacts, log: MessageLog, now: () => number, past?: Past) {
    this.#facts = facts
    this.now = now
    this.#log = log
    this.#contextReset = facts.contextReset
    this.#delivery = past?.delivery
    this.#firstAt = past?.firstAt ?? null
    this.#dispatchedAt = past?.dispatchedAt ?? null
    this.#value = past?.value
    this.#valueRefusals.push(...(past?.valueRefusals ?? []))
    this.takenUp = this.#dispatchedAt !== null
  }

  get facts(): TurnFacts {
    return this.#facts
  }

  get id(): string {
    return this.facts.id
  }

  get pair(): Pair {
    return this.facts.pair
  }

  get delivery(): string | undefined {
    return this.#delivery
  }

  get firstAt(): number | null {
    return this.#firstAt
  }

  get dispatchedAt(): number | null {
    return this.#dispatchedAt
  }

  get startedAt(): number | null {
    return this.#startedAt
  }

  get queuedMs(): number | null {
    return this.#dispatchedAt === null ? null : this.#dispatchedAt - this.facts.acceptedAt
  }

  get contextReset(): string | null {
    return this.#contextReset
  }

  get value(): string | undefined {
    return this.#value
  }

  get valueRefusals(): readonly (readonly string[])[] {
    return this.#valueRefusals
  }

  get awaits(): ReadonlySet<string> {
    return this.#awaits
  }

  get asksElsewhere(): string | undefined {
    return this.#asksElsewhere
  }

  get refusal(): Turn['refusal'] {
    return this.#refusal
  }

  get stuck(): string | undefined {
    return this.#stuck
  }

  get usageSoFar(): Usage {
    return this.#meter.usage
  }

  get toolEnds(): ReadonlyMap<string, ToolEnd> {
    return this.#toolEnds
  }

  get cancelled(): AbortSignal {
    return this.#cancel.signal
  }

  get end(): TurnEnd | undefined {
    return this.#end
  }

  get settled(): Promise<TurnEnd> {
    return this.#settled.promise
  }

  get messages$() {
    return this.#log.messages$
  }

  get messageCount(): number {
    return this.#messageCount
  }

  get partialText(): string {
    return this.#speech.everythingWith(this.#streamingText)
  }

  get partialThinking(): string {
    return this.#thought
  }

  linesSoFar(): Promise<readonly Line[]> {
    return this.#log.soFar()
  }

  get keptBytes(): number {
    return this.#log.keptBytes
  }

  arrivedAt(line: Line): number | undefined {
    return this.#arrivals.get(line)
  }

  drained(): Promise<void> | undefined {
    return this.#log.drained()
  }

  /**
   * Call this when the asker has changed the message, which has not reached Claude Code yet. The ledger has the new
   * message.
   */
  revise(message: string): void {
    this.#facts = { ...this.#facts, message }
  }

  /**
   * Call this when the turn is first in its queue. Ignored if the turn has already been delivered, for example by an
   * earlier daemon.
   */
  cameFirst(): void {
    if (this.#dispatchedAt === null) this.#firstAt = this.now()
  }

  /** Call this when this delivery is committed. Only the first delivery sets `dispatchedAt`. */
  dispatched(uuid: string, at: number): void {
    this.#delivery = uuid
    this.#dispatchedAt ??= at
  }

  /** Call this when it is certain that Claude Code had seen the message by this time. */
  hadBegun(at: number | null): void {
    this.#startedAt ??= at
  }

  /** Call this when Claude Code had begun, but a hook kept the message out of the conversation. */
  hadNotBegun(): void {
    this.#startedAt = null
  }

  /** Sets why the conversation was reset, for the caller. Null if another turn reports it. */
  resetContext(why: string | null): void {
    this.#contextReset = why
  }

  /** Call this when the ledger has this value. Throws if the turn already has a value. */
  valueTaken(json: string): void {
    if (this.#value !== undefined) throw new Error(`turn ${this.id} has a value already`)
    this.#value = json
  }

  valueRefused(errors: readonly string[]): void {
    this.#valueRefusals.push(errors)
  }

  /** Sets the question that a person is being asked on another host. Undefined if nobody is being asked any more. */
  asksPerson(what: string | undefined): void {
    this.#asksElsewhere = what
  }

  /** Sets why the turn seems to make no progress. Undefined if it makes progress. */
  isStuck(why: string | undefined): void {
    this.#stuck = why
  }

  waitFor(turnId: string): void {
    this.#awaits.add(turnId)
  }

  waitNoMoreFor(turnId: string): void {
    this.#awaits.delete(turnId)
  }

  /** Only requests the end of the turn. If called again, the first reason stays. */
  cancel(why: Cancellation): void {
    this.#cancel.abort(why)
  }

  /** Discards the text so far, because Claude gets the message again from the beginning. */
  beginAgain(): void {
    this.#speech = new Speech()
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
    if (isSystem(line, 'init')) this.#startedAt ??= now
    for (const { toolUseId, isError } of toolResults(line)) {
      this.#toolEnds.set(toolUseId, { toolUseId, isError, endedAt: now })
    }
    const { since = now } = this.#refusal ?? {}
    if (isSystem(line, 'api_retry')) this.#refusal = Object.assign(apiRefusal(line), { since })
    else if (line.type === 'assistant' || line.type === 'stream_event') this.#refusal = undefined
    this.subagents.take(line, now)
    this.#meter.take(line)
    this.#speech.take(line)
    if (beginsMessage(line)) this.#streamingText = ''
    this.#streamingText += textDelta(line)
    this.#thought += thinkingDelta(line)
    if (line.type === 'assistant' && typeof line['parent_tool_use_id'] !== 'string') {
      this.#streamingText = ''
      this.#thought = ''
    }
  }

  /** Throws if called a second time, which is a bug. */
  settle(end: TurnEnd): void {
    if (this.#end !== undefined) throw new Error(`turn ${this.id} settled twice`)
    this.#end = end
    // Frees memory, because late readers may keep the turn for a long time. The end has the parts of the text that are
    // still needed.
    this.beginAgain()
    this.#log.close()
    this.#settled.resolve(end)
  }

  /** Deletes the lines on disk. Call this when nobody will ask for them again. */
  discard(): void {
    this.#log.discard()
  }
}
