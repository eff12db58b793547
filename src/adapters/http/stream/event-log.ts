import type { Observable } from 'rxjs'
import type { Clock } from '../../../base/lib/clock.ts'
import type { PublishedEvent } from '../../../base/protocol/event.ts'
import type { LiveTurn } from '../../../base/protocol/live-turn.ts'
import { FlushScheduler } from './flush-scheduler.ts'
import type { Place } from './frame.ts'
import { LiveTexts } from './live-texts.ts'

/** Which journal rows the events so far cover, and which row each event has. */
export interface PublishedRows {
  readonly upTo: number
  covers(event: PublishedEvent): Pick<LoggedEvent, 'row' | 'upTo'>
}

/** An event and its JSON, which is made once for all readers. */
export class LoggedEvent {
  readonly event: PublishedEvent
  /** The event's journal row, if it has one. */
  readonly row: number | undefined
  /** The journal row up to which a reader has all rows once it has this event. */
  readonly upTo: number
  #json: string | undefined

  constructor(event: PublishedEvent, { row, upTo }: Pick<LoggedEvent, 'row' | 'upTo'>) {
    this.event = event
    this.row = row
    this.upTo = upTo
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.event)
    return this.#json
  }
}

const defaultLimits = { events: 5000, lineBytes: 8 * 1024 * 1024 }

interface EventLogParts {
  readonly events$: Observable<PublishedEvent>
  readonly clock: Clock
  readonly liveTurns: () => readonly LiveTurn[]
  readonly publishedRows: PublishedRows
  /** Counts the current readers. */
  readonly readers?: { count: number }
  readonly limits?: typeof defaultLimits
}

/**
 * The latest events, shared by all readers. Each reader has only a position in the log, so a slow reader delays nobody
 * and costs nothing. Lines of conversations are kept only while there are readers. All other events are kept even
 * without readers, so that even the only reader can disconnect and resume. Parts of an unfinished message are never
 * kept.
 */
export class EventLog {
  readonly texts: LiveTexts
  readonly flushes: FlushScheduler
  readonly #limits: typeof defaultLimits
  readonly #readers: { count: number }
  readonly #rows: PublishedRows
  #entries: LoggedEvent[] = []
  #lineBytes = 0
  #last = 0
  /** The place of the newest event that was dropped. A reader at an earlier place has missed something. */
  #forgotten: Pick<Place, 'cursor' | 'rows'>
  /** The number of the newest line that was not kept because there was no reader. */
  #lostLine = 0

  constructor({
    events$,
    clock,
    liveTurns,
    publishedRows,
    readers = { count: 0 },
    limits = defaultLimits,
  }: EventLogParts) {
    this.texts = new LiveTexts(liveTurns)
    this.flushes = new FlushScheduler(clock, () => this.texts.gather())
    this.#limits = limits
    this.#readers = readers
    this.#rows = publishedRows
    this.#forgotten = { cursor: 0, rows: publishedRows.upTo }
    events$.subscribe((event) => this.#add(event))
  }

  get last(): number {
    return this.#last
  }

  /** The journal row up to which the events so far cover all rows. */
  get publishedUpTo(): number {
    return this.#rows.upTo
  }

  /** The place after which all events are in memory. */
  get forgotten(): Pick<Place, 'cursor' | 'rows'> {
    return this.#forgotten
  }

  /** Whether lines after that number were not kept because there was no reader. */
  hasLostLines(sequence: number): boolean {
    return sequence < this.#lostLine
  }

  /** The events after that number. Undefined if some of them are no longer kept, or if no event has that number yet. */
  since(sequence: number): readonly LoggedEvent[] | undefined {
    if (sequence < this.#forgotten.cursor || sequence > this.#last) return undefined
    // The entries are in the order of their numbers. The search begins at the end, where most readers are.
    let start = this.#entries.length
    while (start > 0 && this.#entries[start - 1]!.event.sequence > sequence) start -= 1
    return this.#entries.slice(start)
  }

  /**
   * The number of the event after which a reader that has all journal rows up to `row` continues. Undefined if the
   * event of that row is not in memory.
   */
  placeAfter(row: number): number | undefined {
    const own = this.#entries.findLast((entry) => entry.row === row)
    // A later row may have been published first.
    const later = this.#entries.find((entry) => entry.row !== undefined && entry.row > row)
    return own && Math.min(own.event.sequence, (later?.event.sequence ?? Number.POSITIVE_INFINITY) - 1)
  }

  /** Counts a reader. Returns a function that must be called when the reader leaves. */
  join(): () => void {
    this.#readers.count += 1
    this.texts.gather()
    return () => {
      this.#readers.count -= 1
    }
  }

  #add(event: PublishedEvent): void {
    this.#last = event.sequence
    if (event.type === 'turn-settled') this.texts.drop(event.turnId)
    const covered = this.#rows.covers(event)
    if (event.type === 'turn-message') this.#addLine(event, covered.upTo)
    else this.#entries.push(new LoggedEvent(event, covered))
    if (this.#entries.length > this.#limits.events) this.#drop(Math.ceil(this.#limits.events / 10))
    if (this.#readers.count > 0) this.flushes.rise()
  }

  #addLine(event: Extract<PublishedEvent, { type: 'turn-message' }>, upTo: number): void {
    if ((event.message as { readonly type?: unknown }).type === 'stream_event') return
    if (this.#readers.count === 0) {
      // A reader that comes back gets the whole text of each running turn anyway.
      this.#lostLine = event.sequence
      if (this.#lineBytes > 0) this.#dropLines()
      return
    }
    const logged = new LoggedEvent(event, { row: undefined, upTo })
    this.#entries.push(logged)
    this.#lineBytes += logged.json.length
    while (this.#lineBytes > this.#limits.lineBytes) this.#drop(1)
  }

  #dropLines(): void {
    this.#entries = this.#entries.filter(({ event }) => event.type !== 'turn-message')
    this.#lineBytes = 0
  }

  #drop(count: number): void {
    for (const { event, json, upTo } of this.#entries.splice(0, count)) {
      this.#forgotten = { cursor: event.sequence, rows: upTo }
      if (event.type === 'turn-message') this.#lineBytes -= json.length
    }
  }
}
