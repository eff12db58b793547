import type { Line } from '../../base/agent/line.ts'
import { openSessionThread } from '../../base/protocol/open-session-thread.ts'
import type { Cancellation, Subagent } from '../../base/protocol/turn.ts'
import type { TranscriptFiles } from '../../claude/transcript/transcript-files.ts'
import type { TurnRow } from '../../platform/store/ledger.ts'
import type { SteerRow } from '../../platform/store/steers.ts'
import { type LongField, wholeText } from '../deliver/long-answers.ts'
import { maySteer } from '../queue/steer.ts'
import type { Seams } from '../session/seams.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Ask } from '../turn/ask.ts'
import type { GivenValue } from '../turn/message-contracts.ts'
import type { TreeFigures } from '../turn/tree-budgets.ts'
import type { ToolEnd, Turn } from '../turn/turn.ts'
import type { Orchestrator } from './orchestrator.ts'

type Shown =
  | 'id'
  | 'pair'
  | 'facts'
  | 'delivery'
  | 'takenUp'
  | 'firstAt'
  | 'dispatchedAt'
  | 'startedAt'
  | 'contextReset'
  | 'partialText'
  | 'asksElsewhere'
  | 'stuck'
  | 'usageSoFar'
  | 'end'

/** A turn in memory at one moment, as data. Includes facts that the ledger does not have, or does not have yet. */
export interface LiveStatus extends Pick<Turn, Shown> {
  /** Milliseconds since the epoch, by the turn's own clock. */
  readonly now: number
  readonly sessionId: string
  readonly awaits: readonly string[]
  readonly toolEnds: readonly ToolEnd[]
  readonly subagents: readonly Subagent[]
}

/** `live` while the turn is in memory, which includes a short time after its end; after that `row`. */
export type TurnStatus = { readonly live: LiveStatus } | { readonly row: TurnRow }

/**
 * A line of a turn in memory. `at`: its arrival, milliseconds since the epoch; absent for lines that were read back
 * from disk.
 */
export interface TurnMessage {
  readonly line: Line
  readonly at: number | undefined
}

/** The text so far of a turn that has not ended, and its current thinking. */
export interface Writing {
  readonly turnId: string
  readonly text: string
  readonly thinking: string
}

/** `length`: the length of the whole text. */
export interface LongPart {
  readonly text: string
  readonly length: number
}

export interface TurnWait {
  /** Ends the wait, never the turn. */
  readonly until?: AbortSignal
  /** Id of the turn that waits. */
  readonly asker?: string | undefined
  /** Called with each line of the turn, beginning with the lines so far. */
  readonly hear?: (line: Line) => void
}

/** A turn by its id. Methods take and return only data, so that the turn may be on another machine. */
export interface TurnHandle {
  readonly id: string
  /**
   * Resolves once the acceptance would survive a power cut. Do not announce the turn before that. Throws
   * `store_unavailable`.
   */
  durable(): Promise<void>
  /** Resolves to undefined if there is no such turn. */
  status(): Promise<TurnStatus | undefined>
  /** Resolves with the turn's status when the turn or the wait has ended. Throws `waits_for_itself`. */
  wait(options?: TurnWait): Promise<TurnStatus | undefined>
  /** Passes on the value that the turn's agent gives. Throws `invalid_input` and `unknown_turn`. */
  giveValue(value: unknown): Promise<GivenValue>
  /** Cancels the turn and the asks it waits for. Does nothing if the turn has ended. */
  cancel(): Promise<void>
  /**
   * Ends the turn and everything it caused, whether or not the turn waits for it. Returns the ids of the turns that had
   * not ended yet.
   */
  endTree(why: Cancellation): Promise<readonly string[]>
  /**
   * Usage of the turn and everything it caused. Undefined for a turn that another turn caused and that has no budget of
   * its own.
   */
  tree(): Promise<TreeFigures | undefined>
  /**
   * A part of a text of which the status has only the beginning. Offsets and lengths are in UTF-16 code units.
   * Undefined if the status has the whole text.
   */
  longText(field: LongField, from: number, most: number): Promise<LongPart | undefined>
  /** The messages that joined the turn while it ran. */
  steered(): Promise<readonly SteerRow[]>
  /** The turn's lines up to now; empty once the turn is no longer in memory. */
  messages(): Promise<readonly TurnMessage[]>
}

type Held = Pick<
  Orchestrator,
  | 'ask'
  | 'retry'
  | 'durable'
  | 'idByKey'
  | 'turn'
  | 'rowOf'
  | 'sessionOf'
  | 'cancel'
  | 'endTree'
  | 'awaits'
  | 'awaitsNoMore'
  | 'nextTo'
  | 'budgets'
  | 'giveValue'
  | 'steersOf'
>

interface LongTextParts {
  readonly transcripts: Pick<TranscriptFiles, 'answersOf'>
  readonly sessions: Pick<Sessions, 'rowOf'>
}

/** All turns, through handles that also work from another machine. */
export class Turns {
  readonly #orchestrator: Held
  readonly #seams: Seams
  readonly #files: LongTextParts

  constructor(orchestrator: Held, seams: Seams, files: LongTextParts) {
    this.#files = files
    this.#orchestrator = orchestrator
    this.#seams = seams
  }

  /** Accepts a message; if it rejects, nothing was stored. See `Orchestrator.ask`, and `TurnHandle.durable`. */
  async ask(ask: Ask): Promise<TurnHandle> {
    maySteer(ask)
    if (ask.live === true) return this.#askLive(ask)
    const { idempotencyKey: key } = ask
    const isKnown = (): boolean => key !== undefined && this.#orchestrator.idByKey(key) !== undefined
    const admitted = !this.#seams.contracts.concerns(ask) || isKnown() ? ask : await this.#seams.contracts.admitted(ask)
    return this.handle(this.#orchestrator.ask(admitted))
  }

  async #askLive(ask: Ask): Promise<TurnHandle> {
    const { idempotencyKey: key, pair } = ask
    if (key === undefined || this.#orchestrator.idByKey(key) === undefined) this.#seams.openSessions.refuse(ask)
    return this.handle(this.#orchestrator.ask({ ...ask, pair: { ...pair, thread: openSessionThread(pair.thread) } }))
  }

  /** Retries an ended turn as a new turn; a second retry returns the same one. See `askAgain`. */
  async retry(turnId: string, evenInDoubt: boolean): Promise<TurnHandle> {
    return this.handle(this.#orchestrator.retry(turnId, evenInDoubt))
  }

  /** The turn that was accepted under this key. */
  async byKey(idempotencyKey: string): Promise<TurnHandle | undefined> {
    const id = this.#orchestrator.idByKey(idempotencyKey)
    return id === undefined ? undefined : this.handle(id)
  }

  /** The turn's row in the ledger. */
  rowOf(turnId: string): TurnRow | undefined {
    return this.#orchestrator.rowOf(turnId)
  }

  /**
   * The position of an ask made by this turn: the chain of teams before the ask, and the ask's number in that chain.
   */
  nextTo(turnId: string | undefined): { readonly chain: readonly string[]; readonly hop: number } {
    return this.#orchestrator.nextTo(turnId)
  }

  /** The unfinished texts of the given turns, except those that have ended. */
  writing(ids: readonly string[]): Writing[] {
    return ids.flatMap((turnId) => {
      const turn = this.#orchestrator.turn(turnId)
      if (turn === undefined || turn.end !== undefined) return []
      return [{ turnId, text: turn.partialText, thinking: turn.partialThinking }]
    })
  }

  /** The given turns that are in memory, including recently ended ones. */
  async living(ids: readonly string[]): Promise<ReadonlyMap<string, LiveStatus>> {
    return new Map(ids.flatMap((id) => this.#live(id) ?? []).map((status) => [status.id, status]))
  }

  handle(id: string): TurnHandle {
    return {
      id,
      durable: () => this.#orchestrator.durable(),
      status: async () => this.#status(id),
      wait: (options = {}) => this.#wait(id, options),
      giveValue: (value) => this.#seams.contracts.give(this.#orchestrator.turn(id), value, this.#orchestrator),
      cancel: async () => this.#orchestrator.cancel(id),
      endTree: async (why) => this.#orchestrator.endTree(id, why),
      tree: async () => this.#tree(id),
      longText: (field, from, most) => this.#longText(id, field, from, most),
      steered: async () => this.#orchestrator.steersOf(id),
      messages: () => this.#messages(id),
    }
  }

  #status(id: string): TurnStatus | undefined {
    const live = this.#live(id)
    const row = live ? undefined : this.#orchestrator.rowOf(id)
    return live ? { live } : row && { row }
  }

  #live(id: string): LiveStatus | undefined {
    const turn = this.#orchestrator.turn(id)
    if (turn === undefined) return undefined
    const { pair, facts, delivery, takenUp, firstAt, dispatchedAt, startedAt, contextReset, partialText, end } = turn
    const { asksElsewhere, stuck, usageSoFar } = turn
    return {
      id,
      pair,
      facts,
      delivery,
      takenUp,
      firstAt,
      dispatchedAt,
      startedAt,
      contextReset,
      partialText,
      end,
      asksElsewhere,
      stuck,
      usageSoFar,
      now: turn.now(),
      sessionId: this.#orchestrator.sessionOf(turn).sessionId,
      awaits: [...turn.awaits],
      toolEnds: [...turn.toolEnds.values()],
      subagents: turn.subagents.all,
    }
  }

  async #wait(id: string, { until, asker, hear }: TurnWait): Promise<TurnStatus | undefined> {
    const turn = this.#orchestrator.turn(id)
    if (turn === undefined || turn.end !== undefined || until?.aborted) return this.#status(id)
    if (asker !== undefined) this.#orchestrator.awaits(asker, id)
    const over = Promise.withResolvers<void>()
    const leave = (): void => over.resolve()
    until?.addEventListener('abort', leave)
    const lines = hear && turn.messages$.subscribe(hear)
    await Promise.race([turn.settled, over.promise])
    lines?.unsubscribe()
    until?.removeEventListener('abort', leave)
    if (asker !== undefined) this.#orchestrator.awaitsNoMore(asker, id)
    return this.#status(id)
  }

  #tree(id: string): TreeFigures | undefined {
    const status = this.#status(id)
    if (status === undefined) return undefined
    const facts = 'live' in status ? status.live.facts : status.row
    if (facts.parentTurn !== null && facts.budget === null && facts.sharedBudget === null) return undefined
    return this.#orchestrator.budgets.figures(id, facts, 'live' in status ? status.live.now : undefined)
  }

  async #longText(id: string, field: LongField, from: number, most: number): Promise<LongPart | undefined> {
    const status = this.#status(id)
    if (status === undefined) return undefined
    const { transcripts, sessions } = this.#files
    const { sessionId } = 'live' in status ? status.live : sessions.rowOf(status.row.session)
    const whole = await wholeText(transcripts, sessionId, id, field)
    return whole && { text: await whole.slice(from, from + most), length: whole.length }
  }

  async #messages(id: string): Promise<readonly TurnMessage[]> {
    const turn = this.#orchestrator.turn(id)
    const lines = (await turn?.linesSoFar()) ?? []
    return lines.map((line) => ({ line, at: turn?.arrivedAt(line) }))
  }
}
