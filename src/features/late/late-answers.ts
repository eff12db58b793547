import type { Clock } from '../../base/lib/clock.ts'
import { KeyedWaits } from '../../base/lib/keyed-waits.ts'
import { shortId } from '../../base/lib/short-id.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { IrisEvent } from '../../base/protocol/event.ts'
import { lateAnswer } from '../../claude/driver/inbox-texts.ts'
import type { LateAnswerRow, LateAnswerRows } from './rows.ts'

export interface LateAnswersParts {
  readonly rows: LateAnswerRows
  readonly clock: Clock
  readonly events: Pick<Subject<IrisEvent>, 'subscribe'>
}

/** A text for the inbox of the session that asked. */
export interface Push {
  readonly turnId: string
  readonly text: string
}

/** An answer that came late. */
export interface PushedAnswer extends Push {
  /** The turn left commands running, so reports may follow. */
  readonly leftRunning: boolean
}

/**
 * Answers that came after their asker had stopped waiting. The bridge of the asking session pushes each into the
 * session once. An inbox acknowledges nothing, so an answer stays unread until that session fetches or quotes it.
 */
export class LateAnswers {
  readonly #parts: LateAnswersParts
  /** Bridges that wait, by the session that asked. */
  readonly #waits = new KeyedWaits()
  /** Sessions that may have an unread answer. For others, the store is not queried. */
  readonly #owed: Set<string>

  constructor(parts: LateAnswersParts) {
    this.#parts = parts
    this.#owed = new Set(parts.rows.consoles())
    parts.events.subscribe((event) => {
      if (event.type === 'turn-settled') this.#wake()
    })
  }

  /** Notes that the session has stopped waiting for this turn, or never waited. */
  owe(turnId: string, console: string): void {
    this.#owed.add(console)
    this.#parts.rows.owe(turnId, console, this.#parts.clock.now())
    this.#wake()
  }

  /**
   * Notes that an answer, which this session may not have asked for, is pushed to it now. It is unread there, like a
   * late answer.
   */
  promoted(turnId: string, console: string): void {
    const { rows, clock } = this.#parts
    this.#owed.add(console)
    rows.owe(turnId, console, clock.now())
    rows.pushed(turnId, console, clock.now())
  }

  /** Notes that the session now has this turn's end. */
  fetched(turnId: string, console: string): void {
    if (this.#owed.has(console)) this.#read(turnId, console)
  }

  isUnread(turnId: string): boolean {
    return this.#parts.rows.unreadBy(turnId).length > 0
  }

  /** A call of the session that names a turn shows that the session knows its answer. */
  quoted(console: string, arguments_: unknown): void {
    const ended = this.#endedOf(console)
    if (ended.length === 0) return
    const text = JSON.stringify(arguments_ ?? {})
    for (const { turn } of ended) if (text.includes(shortId(turn))) this.#read(turn, console)
  }

  /**
   * The waiting answers, for the result of any call of the session. A pushed answer is announced once, because the
   * session probably has it; others are announced until they are read.
   */
  announcement(console: string): string | undefined {
    const { rows, clock } = this.#parts
    const waiting = this.#endedOf(console).filter((row) => row.pushedAt === null || row.announcedAt === null)
    if (waiting.length === 0) return undefined
    for (const { turn, pushedAt } of waiting) if (pushedAt !== null) rows.announced(turn, console, clock.now())
    const named = waiting.slice(0, maxNamed).map(({ turn, to }) => `${shortId(turn)} (${to})`)
    const more = waiting.length > named.length ? ', …' : ''
    const count = waiting.length === 1 ? '1 answer waits' : `${waiting.length} answers wait`
    return `${count}. message_status collects turn ${named.join(', ')}${more}`
  }

  /** Resolves when an answer can be pushed to the session, or the signal aborts. */
  ready(console: string, signal: AbortSignal): Promise<void> {
    return this.#waits.until(console, () => this.#toPush(console).length > 0, signal)
  }

  /** The texts to push now. Each is committed as pushed before it is returned, so it is returned at most once. */
  take(console: string): readonly PushedAnswer[] {
    const { rows, clock } = this.#parts
    return this.#toPush(console)
      .filter(({ turn }) => rows.pushed(turn, console, clock.now()))
      .map((row) => ({
        turnId: row.turn,
        text: lateAnswer({ ...row, turnId: row.turn, asked: row.message }),
        leftRunning: row.leftRunning,
      }))
  }

  #toPush(console: string): LateAnswerRow[] {
    return this.#endedOf(console).filter(({ pushedAt }) => pushedAt === null)
  }

  #endedOf(console: string): LateAnswerRow[] {
    return this.#owed.has(console) ? this.#parts.rows.endedOf(console) : []
  }

  #read(turnId: string, console: string): void {
    this.#parts.rows.read(turnId, console, this.#parts.clock.now())
  }

  /** Each bridge checks for itself, so that a failing store fails the bridge's call and not an event handler. */
  #wake(): void {
    this.#waits.wake((console) => this.#owed.has(console))
  }
}

const maxNamed = 5
