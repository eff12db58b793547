import type { Observable } from 'rxjs'
import type { Clock } from '../../../base/lib/clock.ts'
import type { PublishedEvent } from '../../../base/protocol/event.ts'
import type { LiveTurn } from '../../../base/protocol/live-turn.ts'
import { FlushScheduler } from './flush-scheduler.ts'
import { LiveTexts } from './live-texts.ts'

/** An event as readers are given it: made into text once for all of them. */
export class LoggedEvent {
  readonly event: PublishedEvent
  #json: string | undefined

  constructor(event: PublishedEvent) {
    this.event = event
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
  /** Where to count those who read now. */
  readonly readers?: { count: number }
  readonly limits?: typeof defaultLimits
}

/**
 * The latest events, shared by all readers: each is a number up to which it has read, so a slow one holds up nobody and
 * costs nothing. Lines of conversations are kept only while somebody reads, and so is what came before such a line; parts
 * of an unfinished message never are.
 */
export class EventLog {
  readonly texts: LiveTexts
  readonly flushes: FlushScheduler
  readonly #limits: typeof defaultLimits
  readonly #readers: { count: number }
  #entries: LoggedEvent[] = []
  #lineBytes = 0
  #last = 0
  /** Readers up to here have missed something that is kept no more. */
  #forgotten = 0

  constructor({ events$, clock, liveTurns, readers = { count: 0 }, limits = defaultLimits }: EventLogParts) {
    this.texts = new LiveTexts(liveTurns)
    this.flushes = new FlushScheduler(clock, () => this.texts.gather())
    this.#limits = limits
    this.#readers = readers
    events$.subscribe((event) => this.#add(event))
  }

  get last(): number {
    return this.#last
  }

  /** What came after that number; undefined when some of it is kept no more. */
  since(sequence: number): readonly LoggedEvent[] | undefined {
    if (sequence < this.#forgotten || sequence > this.#last) return undefined
    // Numbers rise: the place is found from the end, where readers are.
    let start = this.#entries.length
    while (start > 0 && this.#entries[start - 1]!.event.sequence > sequence) start -= 1
    return this.#entries.slice(start)
  }

  /** Somebody reads from now on; returns what says that he has gone. */
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
    if (event.type === 'turn-message') this.#addLine(event)
    else this.#entries.push(new LoggedEvent(event))
    if (this.#entries.length > this.#limits.events) this.#drop(Math.ceil(this.#limits.events / 10))
    if (this.#readers.count > 0) this.flushes.rise()
  }

  #addLine(event: Extract<PublishedEvent, { type: 'turn-message' }>): void {
    if ((event.message as { readonly type?: unknown }).type === 'stream_event') return
    if (this.#readers.count === 0) {
      // What came before it cannot be read on from any more.
      this.#forgotten = event.sequence
      this.#entries = []
      this.#lineBytes = 0
      return
    }
    const logged = new LoggedEvent(event)
    this.#entries.push(logged)
    this.#lineBytes += logged.json.length
    while (this.#lineBytes > this.#limits.lineBytes) this.#drop(1)
  }

  #drop(count: number): void {
    for (const { event, json } of this.#entries.splice(0, count)) {
      this.#forgotten = event.sequence
      if (event.type === 'turn-message') this.#lineBytes -= json.length
    }
  }
}
