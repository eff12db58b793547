import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Subject } from '../../base/lib/subject.ts'
import type { IrisEvent, PublishedEvent } from '../../base/protocol/event.ts'
import { external } from '../../base/protocol/pair.ts'
import type { InboxRows } from './rows.ts'
import { subjectOf } from './subject.ts'

export interface InboxNewsParts {
  readonly rows: InboxRows
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly events: Pick<Subject<PublishedEvent>, 'subscribe'>
  readonly publish: (event: IrisEvent) => void
  /** The pair and id of a conversation by its row id. */
  readonly idsOf: (session: number) => InboxChange
}

export interface InboxChange {
  readonly from: string
  readonly to: string
  readonly thread: string
  readonly sessionId: string
}

/** How long it takes to notice a changed clock or a machine that slept. */
const lookMs = 30_000
const maxUnread = 10_000

/**
 * Adds to the owner's inbox what nothing else in the store keeps: answers for which no caller waited, and questions
 * that nobody answered in time. Brings back snoozed items.
 */
export class InboxNews {
  readonly #parts: InboxNewsParts
  /** How many callers are waiting for each turn. */
  readonly #awaited = new Map<string, number>()
  /** The subjects of answers that are news. The store is not queried for other answers. */
  readonly #unread: Set<string>
  #cancelTimer = (): void => {}
  #isClosed = false

  constructor(parts: InboxNewsParts) {
    this.#parts = parts
    this.#unread = new Set(parts.rows.unread(maxUnread))
    parts.events.subscribe((event) => this.#take(event))
    this.look()
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer()
  }

  /**
   * Records that a caller is waiting for the end of this turn. Call the returned function when the caller stops
   * waiting.
   */
  awaits(turnId: string): () => void {
    this.#awaited.set(turnId, (this.#awaited.get(turnId) ?? 0) + 1)
    return () => {
      const left = (this.#awaited.get(turnId) ?? 1) - 1
      if (left === 0) this.#awaited.delete(turnId)
      else this.#awaited.set(turnId, left)
    }
  }

  /** Records that the asker has the turn's answer, so the answer is no longer news. */
  received(turnId: string): void {
    const subject = subjectOf('answer', turnId)
    if (!this.#unread.delete(subject)) return
    this.#safely(() => {
      const session = this.#parts.rows.sessionOfTurn(turnId)
      if (this.#parts.rows.remove(subject) && session !== undefined) this.#changed([session])
    })
  }

  /** Brings back items that are due, and sets the timer for the next one. Also called after an item was snoozed. */
  look(): void {
    this.#cancelTimer()
    if (this.#isClosed) return
    const { rows, clock } = this.#parts
    let next: number | undefined = clock.now() + lookMs
    this.#safely(() => {
      this.#changed(rows.wake(clock.now()))
      next = rows.firstDue()
    })
    if (next === undefined) return
    this.#cancelTimer = clock.after(Math.min(Math.max(0, next - clock.now()), lookMs), () => this.look())
  }

  #take(event: PublishedEvent): void {
    if (event.type === 'turn-settled' && event.outcome === 'completed') this.#safely(() => this.#answered(event.turnId))
    if (event.type === 'permission:timeout') this.#safely(() => this.#expired(event.permission.permissionId))
    if (event.type === 'failure-dismissed') this.#safely(() => this.#dismissed(event.turnId))
  }

  #answered(turnId: string): void {
    if (this.#awaited.has(turnId)) return
    const { rows, clock } = this.#parts
    const ended = rows.ended(turnId)
    if (ended === undefined || !(ended.from === external || ended.isOwed || ended.isRetry)) return
    const subject = subjectOf('answer', turnId)
    if (!rows.answered(subject, ended.session, clock.now())) return
    this.#unread.add(subject)
    this.#changed([ended.session])
  }

  #expired(permissionId: string): void {
    const { rows, clock } = this.#parts
    const session = rows.question(permissionId)?.session
    if (session === undefined) return
    if (rows.came(subjectOf('expired', permissionId), session, clock.now())) this.#changed([session])
  }

  /** A failure dismissed elsewhere is listed as done, too. */
  #dismissed(turnId: string): void {
    const { rows, clock } = this.#parts
    const session = rows.sessionOfTurn(turnId)
    if (session !== undefined) rows.mark(subjectOf('failed', turnId), session, 'done', clock.now(), null)
  }

  /** The change is not published within the event that caused it, because readers get events in numerical order. */
  #changed(sessions: readonly number[]): void {
    queueMicrotask(() => {
      for (const session of sessions) this.#parts.publish({ type: 'inbox-changed', ...this.#parts.idsOf(session) })
    })
  }

  /** The event has already happened, so the inbox must not make it fail. */
  #safely(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#parts.log.warn(`the inbox was not kept up to date: ${String(error)}`)
    }
  }
}
