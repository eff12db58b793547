import type { Log } from '../../base/lib/log.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Journal, JournalRow } from '../../kernel/journal/journal.ts'
import type { CallbackConfig } from '../../platform/config/config.ts'
import { isStoreTrouble } from '../../platform/store/store-trouble.ts'
import { type EventParts, eventMessage } from './event.ts'
import { type Entry, isDue, type Next, rowOf } from './next.ts'
import { Pace } from './pace.ts'
import type { DeliveryRow, OutboxRows } from './rows.ts'
import { type SendParts, send, type Tried } from './send.ts'

export interface QueueParts extends SendParts, Omit<EventParts, 'journal'> {
  readonly journal: Pick<Journal, 'confirmed' | 'read' | 'cursorOf'>
  readonly rows: OutboxRows
  /** From 0 to below 1. */
  readonly random: () => number
  readonly log: Log
  /** Limits the posts of all callbacks together. `release` also makes every queue look for its next post. */
  readonly slots: { readonly isFree: () => boolean; take(): void; release(): void }
  /** The result of a try, or of giving up on events. */
  readonly counted: (callback: string, result: 'taken' | 'failed' | 'given_up', by?: number) => void
  /** Tells the owner that Iris gave up on an event: it failed for too long, or its endpoint answered 410. */
  readonly gaveUp: (turnId: string) => void
}

const mostPosts = 4
const rowsAtOnce = 200
/** The queue looks at least this often, milliseconds: nothing reports that a clock was set or a disk has room again. */
const lookMs = 30_000
/** Each result saves the cursor. Without results, the cursor is saved after it has moved on by more rows than this. */
const mostUnsaved = 1000

/**
 * Posts the journal rows for one callback, each at least once. A row is posted only after the previous row of its
 * conversation has been tried; failed rows wait in the store and block nothing. The cursor moves past a row in the
 * commit that records its result.
 */
export class CallbackQueue {
  readonly #name: string
  readonly #parts: QueueParts
  #callback: CallbackConfig
  /** All rows up to this one have been posted, are not for this callback, or are in the store as failed. */
  #cursor = 0
  #saved = 0
  #offAt: number | null = null
  /** The rows for this callback after the cursor and up to `#read`, the last row that was read. */
  #window: Entry[] = []
  #read = 0
  /** Rows up to this one survive a power cut. Later rows wait, because a power cut would lose them. */
  #confirmed = 0
  /** The failed rows that are being posted again. */
  readonly #retrying = new Set<number>()
  /** How many posts are running. */
  #posts = 0
  /** Events that were given up to make room for newer ones, since the daemon started. */
  #dropped = 0
  #pace: Pace
  /** Functions, in order, each of which saves a result that the store has not accepted yet. */
  readonly #results: (() => void)[] = []
  /** Aborted when the results of the posts that are running must be ignored. */
  #life = new AbortController()
  #isReady = false
  #isClosed = false
  #isConfirming = false
  #prefersFailed = false
  #cancelTimer = (): void => {}

  constructor(callback: CallbackConfig, parts: QueueParts) {
    this.#callback = callback
    this.#name = callback.name
    this.#parts = parts
    this.#pace = new Pace(parts.random)
  }

  /** Called when rows may have been added. The first call reads from the store how far this callback has come. */
  wake(): void {
    if (this.#isReady) this.pump()
    else void this.#confirm()
  }

  /** The queue's state, for people. */
  get view() {
    const { waiting, failed, oldest, next } = this.#parts.rows.count(this.#name)
    const unposted = this.#window.filter(({ state }) => state !== 'over')
    const times = [...(oldest === null ? [] : [oldest]), ...unposted.slice(0, 1).map(({ at }) => at)]
    return {
      offAt: this.#offAt,
      isFailing: this.#pace.isSlow,
      waiting: waiting + unposted.length,
      failed,
      dropped: this.#dropped,
      oldestAt: times.length === 0 ? undefined : Math.min(...times),
      nextTryAt: this.#pace.waitsUntil(unposted.length > 0 ? 0 : next, this.#parts.clock.now()),
      problem: failed + waiting > 0 ? this.#parts.rows.lastProblem(this.#name) : undefined,
    }
  }

  /** Begins as many posts as are allowed. */
  pump(): void {
    this.#cancelTimer()
    if (!this.#isReady || this.#isClosed) return
    this.#safely(() => {
      this.#saveResults()
      if (this.#offAt === null) this.#beginPosts()
    })
    this.#setTimer()
  }

  /** Puts another configuration in force, and retries failed events at once: they may succeed now. */
  reconfigure(callback: CallbackConfig): void {
    this.#callback = callback
    this.#pace.reset()
    this.#safely(() => this.#parts.rows.soon(this.#name, this.#parts.clock.now()))
    this.pump()
  }

  /** Posts all waiting events at once, even if the endpoint switched the callback off. Throws `store_unavailable`. */
  enable(): void {
    const { rows, clock } = this.#parts
    this.#mustBeReady()
    rows.atomically(() => {
      rows.setCursor({ callback: this.#name, sequence: this.#cursor, offAt: null })
      rows.revive(this.#name, clock.now())
    })
    this.#offAt = null
    this.#pace.reset()
    this.pump()
  }

  /** Posts all rows after this one again. Throws `store_unavailable`. */
  replay(after: number): void {
    const { rows } = this.#parts
    this.#mustBeReady()
    const sequence = Math.min(after, this.#cursor)
    rows.atomically(() => {
      rows.removeFrom(this.#name, sequence)
      rows.setCursor({ callback: this.#name, sequence, offAt: this.#offAt })
    })
    this.#restartAt(sequence)
    this.#pace.reset()
    this.wake()
  }

  /** Called when the store was put back to an earlier state: reads again how far this callback has come. */
  putBack(): void {
    this.#results.length = 0
    this.#isReady = false
    this.#restartAt(0)
    this.wake()
  }

  /** Starts no further posts. */
  quiet(): void {
    this.#isClosed = true
    this.#cancelTimer()
  }

  /** Aborts the posts that are running; the next start makes them again. */
  close(): void {
    this.quiet()
    this.#life.abort()
    this.#safely(() => this.#saveCursor())
  }

  /** Throws `store_unavailable` if the cursor has not been read yet, or the store accepts no results. */
  #mustBeReady(): void {
    if (!this.#isReady) throw new IrisError('store_unavailable', 'Events cannot be read yet.', 'Try again in a moment.')
    this.#saveResults()
  }

  /** Waits until rows are on disk, then posts. Not done for each new row, because these waits slow messages down. */
  async #confirm(): Promise<void> {
    if (this.#isConfirming || this.#isClosed) return
    const { journal, rows, log } = this.#parts
    this.#isConfirming = true
    try {
      const confirmed = await journal.confirmed()
      this.#confirmed = Math.max(this.#confirmed, confirmed)
      if (!this.#isReady) {
        const { sequence, offAt } = rows.cursor(this.#name)
        // A rebuilt store may have fewer rows than before.
        this.#confirmed = confirmed
        this.#restartAt(Math.min(sequence, confirmed))
        this.#offAt = offAt
        this.#isReady = true
      }
    } catch (error) {
      log.warn(`events cannot be read: ${String(error)}`, { callback: this.#name })
      return this.#setTimer()
    } finally {
      this.#isConfirming = false
    }
    this.pump()
  }

  #restartAt(cursor: number): void {
    this.#life.abort()
    this.#life = new AbortController()
    this.#window = []
    this.#retrying.clear()
    this.#cursor = cursor
    this.#saved = cursor
    this.#read = cursor
  }

  #beginPosts(): void {
    const { slots } = this.#parts
    this.#fillWindow()
    const last = this.#window.findLast(({ state }) => state === 'waiting')
    if (last !== undefined && last.sequence > this.#confirmed) void this.#confirm()
    while (slots.isFree() && this.#posts < (this.#pace.isSlow ? 1 : mostPosts)) {
      const next = this.#next()
      if (next === undefined) return
      this.#posts += 1
      slots.take()
      void this.#post(next, this.#life.signal)
    }
  }

  /** Reads some rows of the journal. If there may be more, `pump` continues after other work. */
  #fillWindow(): void {
    if (this.#window.length >= rowsAtOnce) return
    const { journal, rows } = this.#parts
    const { events, teams } = this.#callback
    const found = journal.read(this.#read, Number.MAX_SAFE_INTEGER, rowsAtOnce)
    const wanted = found.filter(({ type }) => events.includes(type))
    const ids = wanted.map(({ turnId }) => turnId)
    const turns = rows.named(ids, this.#name)
    for (const row of wanted) {
      const turn = turns.get(row.turnId)
      if (turn === undefined || teams?.includes(turn.to) === false) continue
      // This row has failed already and waits in the store: Iris stopped before the cursor reached it.
      if (rows.has(this.#name, row.sequence)) continue
      this.#window.push({ ...row, session: turn.session, state: 'waiting' })
    }
    const isAll = found.length < rowsAtOnce
    this.#read = Math.max(this.#read, found.at(-1)?.sequence ?? 0, isAll ? this.#confirmed : 0)
    this.#advanceCursor()
    if (this.#cursor - this.#saved > mostUnsaved) this.#saveCursor()
    if (!isAll) setImmediate(() => this.pump())
  }

  /** The next row to post. New and failed rows alternate, so that neither kind waits for all rows of the other. */
  #next(): Next | undefined {
    const now = this.#parts.clock.now()
    if (!this.#pace.mayTry(now)) return undefined
    this.#prefersFailed = !this.#prefersFailed
    return this.#prefersFailed ? (this.#nextFailed(now) ?? this.#nextNew()) : (this.#nextNew() ?? this.#nextFailed(now))
  }

  #nextNew(): Next | undefined {
    // Conversations whose earlier row has not been tried yet.
    const held = new Set<number>()
    for (const entry of this.#window) {
      if (entry.sequence > this.#confirmed) return undefined
      if (entry.state === 'waiting' && !held.has(entry.session)) return { entry }
      if (entry.state !== 'over') held.add(entry.session)
    }
    return undefined
  }

  #nextFailed(now: number): Next | undefined {
    const again = this.#parts.rows.due(this.#name, [...this.#retrying])
    return again !== undefined && isDue(again.nextAt, now) ? { again } : undefined
  }

  async #post(next: Next, life: AbortSignal): Promise<void> {
    if ('entry' in next) next.entry.state = 'posting'
    else this.#retrying.add(next.again.sequence)
    try {
      const tried = await this.#try(rowOf(next), life)
      if (!life.aborted) this.#tookTry(next, tried)
    } catch (error) {
      this.#parts.log.warn(`an event could not be made: ${String(error)}`, { callback: this.#name })
      const problem = 'Iris could not make the event: see its log'
      if (life.aborted) return
      if (!isStoreTrouble(error)) return this.#tookTry(next, { isTaken: false, problem })
      // This event is posted again later. During the pause no post begins, which gives the store time.
      if ('entry' in next) next.entry.state = 'waiting'
      this.#pace.rest(this.#parts.clock.now())
    } finally {
      if ('again' in next && !life.aborted) this.#retrying.delete(next.again.sequence)
      this.#posts -= 1
      this.#parts.slots.release()
    }
  }

  async #try(row: JournalRow, life: AbortSignal): Promise<Tried | undefined> {
    const message = eventMessage(row, this.#callback, this.#parts)
    return message && (await send(this.#callback, message, life, this.#parts))
  }

  /** Handles the result of a try. `tried` is undefined for a row whose turn was deleted: there is nothing to post. */
  #tookTry(next: Next, tried: Tried | undefined): void {
    const { clock, counted, log } = this.#parts
    const now = clock.now()
    const { sequence } = rowOf(next)
    if (tried === undefined || tried.isTaken) {
      if (tried !== undefined) counted(this.#name, 'taken')
      this.#pace.reset()
      this.#results.push(() => this.#saveTaken(next))
    } else {
      counted(this.#name, 'failed')
      const wasSlow = this.#pace.isSlow
      this.#pace.failed(sequence, now)
      if (!wasSlow && this.#pace.isSlow)
        log.warn(`a callback takes nothing, so one event is tried at a time: ${tried.problem}`, {
          callback: this.#name,
        })
      const failed = this.#failedRow(next, tried, now)
      this.#results.push(() => this.#saveFailed(next, failed, tried.isGone === true))
    }
    this.#safely(() => this.#saveResults())
  }

  #failedRow(next: Next, { problem, isGone, notBefore }: Tried & { isTaken: false }, now: number): DeliveryRow {
    const { sequence, at, type, turnId, questionId } = rowOf(next)
    const tries = 'again' in next ? next.again.tries + 1 : 1
    const failedAt = 'again' in next ? next.again.failedAt : now
    const nextAt = isGone === true ? undefined : this.#pace.nextTry({ tries, failedAt, now, notBefore })
    const about = { callback: this.#name, sequence, at, type, turn: turnId, question: questionId ?? null }
    return { ...about, tries, failedAt, nextAt: nextAt ?? null, problem }
  }

  /** This and `#saveFailed` make one commit each, which `#saveResults` repeats until the store accepts it. */
  #saveTaken(next: Next): void {
    this.#commit(next, this.#offAt, () => {
      if ('again' in next) this.#parts.rows.remove(this.#name, next.again.sequence)
    })
  }

  #saveFailed(next: Next, row: DeliveryRow, isGone: boolean): void {
    const { rows, counted, gaveUp, log, clock } = this.#parts
    const offAt = isGone ? clock.now() : this.#offAt
    let dropped = 0
    this.#commit(next, offAt, () => {
      dropped = rows.put(row)
    })
    if (dropped > 0) counted(this.#name, 'given_up', dropped)
    this.#dropped += dropped
    if (row.nextAt === null) {
      counted(this.#name, 'given_up')
      log.warn(`an event was not delivered: ${row.problem}`, { callback: this.#name, turnId: row.turn })
      gaveUp(row.turn)
    }
    this.#offAt = offAt
  }

  #commit(next: Next, offAt: number | null, change: () => void): void {
    const { rows } = this.#parts
    if ('entry' in next) next.entry.state = 'over'
    this.#advanceCursor()
    rows.atomically(() => {
      change()
      rows.setCursor({ callback: this.#name, sequence: this.#cursor, offAt })
    })
    this.#saved = this.#cursor
  }

  #advanceCursor(): void {
    while (this.#window[0]?.state === 'over') this.#window.shift()
    this.#cursor = (this.#window[0]?.sequence ?? this.#read + 1) - 1
  }

  #saveResults(): void {
    for (let save = this.#results[0]; save !== undefined; save = this.#results[0]) {
      save()
      this.#results.shift()
    }
  }

  #saveCursor(): void {
    if (!this.#isReady || this.#cursor === this.#saved || this.#results.length > 0) return
    this.#parts.rows.setCursor({ callback: this.#name, sequence: this.#cursor, offAt: this.#offAt })
    this.#saved = this.#cursor
  }

  #setTimer(): void {
    this.#cancelTimer()
    if (this.#isClosed) return
    const { clock, rows } = this.#parts
    let ms = lookMs
    this.#safely(() => {
      const now = clock.now()
      const { nextAt } = rows.due(this.#name, [...this.#retrying]) ?? {}
      // A row that could start now waits for another post to end, which then looks for the next row.
      const later = [nextAt ?? 0, this.#pace.notBefore].filter((at) => at > now)
      ms = Math.min(lookMs, ...later.map((at) => at - now))
    })
    this.#cancelTimer = clock.after(ms, () => void this.#confirm())
  }

  #safely(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#parts.log.warn(`events wait for the store: ${String(error)}`, { callback: this.#name })
    }
  }
}
