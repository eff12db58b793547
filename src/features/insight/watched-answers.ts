import type { Clock } from '../../base/lib/clock.ts'
import { KeyedWaits } from '../../base/lib/keyed-waits.ts'
import type { Log } from '../../base/lib/log.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import { changedFile } from '../../claude/driver/inbox-texts.ts'
import type { Collisions } from './collisions.ts'
import type { Drift } from './drift.ts'
import type { OutdatedAnswer, WatchedAnswerRows } from './rows/watched-answers.ts'

export interface WatchedAnswersParts {
  readonly rows: WatchedAnswerRows
  readonly drift: Pick<Drift, 'compare'>
  readonly collisions: Pick<Collisions, 'note'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly publish: (event: IrisEvent) => void
  readonly log: Log
}

/** How often the files of watched answers are compared, while there are any. */
const restMs = 15_000
const maxMs = 7 * 86_400_000

/**
 * Notifies an asker at once when a file that an answer relied on changes, if the asker wants that. An open session is
 * notified by its bridge, an agent with its next tool, and everybody by an event. Each answer is reported once.
 */
export class WatchedAnswers {
  readonly #parts: WatchedAnswersParts
  /** For each turn that an agent asked for, the agent's own turn. */
  readonly #askers = new Map<string, string>()
  /** The waiting bridges, by the session that asked. */
  readonly #waits = new KeyedWaits()
  #stopRest: (() => void) | undefined
  #comparing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(parts: WatchedAnswersParts) {
    this.#parts = parts
  }

  /** Call this at the start, because some answers may already be watched. */
  begin(): void {
    this.#rest()
  }

  /** Never throws: the message is already accepted, and an asker who gets an error would send the message again. */
  watch(
    turnId: string,
    { console, asker }: { readonly console?: string | undefined; readonly asker?: string | undefined },
  ): void {
    const { rows, clock, log } = this.#parts
    try {
      rows.add(turnId, console, clock.now())
    } catch (error) {
      return log.warn(`no changed file will be reported at once: ${String(error)}`, { turnId })
    }
    if (asker !== undefined) this.#askers.set(turnId, asker)
    this.#rest()
  }

  take(event: PublishedEvent): void {
    if (event.type === 'turn-settled') this.#forget(event.turnId)
    if (event.type !== 'answers-drifted') return
    try {
      for (const [first, ...others] of this.#changes()) {
        this.#tell(first)
        for (const other of others) this.#isToldWith(other)
      }
    } catch (error) {
      this.#parts.log.info(`a changed file was not reported: ${String(error)}`)
    }
  }

  /** Resolves when there is something to push to this session, or when the signal aborts. */
  ready(console: string, signal: AbortSignal): Promise<void> {
    return this.#waits.until(console, () => this.#parts.rows.toPush(console).length > 0, signal)
  }

  /** The texts to push now. Each is recorded as pushed first, so it is returned at most once. */
  takeFor(console: string): readonly { readonly turnId: string; readonly text: string }[] {
    const { rows, clock } = this.#parts
    return rows
      .toPush(console)
      .filter(({ turn }) => rows.pushed(turn, clock.now()))
      .map((answer) => ({ turnId: answer.turn, text: textOf(answer) }))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopRest?.()
    await this.#comparing
  }

  /**
   * Groups the answers in one conversation that rely on the same changed file; the asker is notified once for each
   * group.
   */
  #changes(): Iterable<readonly [OutdatedAnswer, ...OutdatedAnswer[]]> {
    const answers = this.#parts.rows.untold(this.#since)
    const changes = Map.groupBy(answers, ({ turn, sessionId, path, console }) =>
      JSON.stringify([sessionId, path, console, this.#askers.get(turn)]),
    )
    return changes.values() as Iterable<[OutdatedAnswer, ...OutdatedAnswer[]]>
  }

  get #since(): number {
    return this.#parts.clock.now() - maxMs
  }

  #open(): readonly string[] {
    return this.#parts.rows.teams(this.#since)
  }

  #rest(): void {
    if (this.#stopRest !== undefined || this.#isClosed) return
    this.#stopRest = this.#parts.clock.after(restMs, () => {
      this.#comparing = this.#compare()
    })
  }

  async #compare(): Promise<void> {
    const { drift, log } = this.#parts
    let mayBeMore = true
    try {
      await drift.compare(this.#open())
      mayBeMore = this.#open().length > 0
    } catch (error) {
      log.info(`watched answers were not compared, and will be later: ${String(error)}`)
    }
    this.#stopRest = undefined
    if (mayBeMore) this.#rest()
  }

  #tell(answer: OutdatedAnswer): void {
    const { rows, clock, collisions, publish } = this.#parts
    const { turn: turnId, from, to, thread, sessionId, path, console } = answer
    rows.told(turnId, clock.now())
    publish({ type: 'answer-outdated', turnId, path, from, to, thread, sessionId })
    const asker = this.#askers.get(turnId)
    if (asker !== undefined) collisions.note(asker, textOf(answer))
    this.#askers.delete(turnId)
    if (console !== null) this.#waits.wake(console)
  }

  /** Records that the asker is notified of the same change with another answer. */
  #isToldWith({ turn }: OutdatedAnswer): void {
    const { rows, clock } = this.#parts
    rows.told(turn, clock.now())
    rows.pushed(turn, clock.now())
    this.#askers.delete(turn)
  }

  /** Called when the asking turn has ended, because its agent no longer needs the notices. */
  #forget(asker: string): void {
    for (const [turn, by] of this.#askers) if (by === asker) this.#askers.delete(turn)
  }
}

function textOf({ turn, ...answer }: OutdatedAnswer): string {
  return changedFile({ ...answer, turnId: turn, asked: answer.message })
}
