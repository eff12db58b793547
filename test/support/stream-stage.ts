import { Subject } from 'rxjs'
import { BatchCache } from '../../src/adapters/http/stream/batch-cache.ts'
import { EventLog, type PublishedRows } from '../../src/adapters/http/stream/event-log.ts'
import type { Filter } from '../../src/adapters/http/stream/filter.ts'
import type { Batch, Frame } from '../../src/adapters/http/stream/frame.ts'
import { type KeptEvents, read } from '../../src/adapters/http/stream/reader.ts'
import type { PublishedEvent } from '../../src/base/protocol/event.ts'
import type { LiveTurn } from '../../src/base/protocol/live-turn.ts'
import type { KeptEvent } from '../../src/features/events/contract.ts'
import { FakeClock } from './fake-clock.ts'

export const pair = { from: 'external', to: 'backend', thread: 'main', sessionId: 's' }

class Rows implements KeptEvents, PublishedRows {
  readonly turns: string[] = []
  /** The numbers before this one are no longer kept. */
  oldest = 1

  get upTo(): number {
    return this.turns.length
  }

  covers({ type, ...event }: PublishedEvent) {
    const row = type === 'turn-message' ? undefined : this.turns.push((event as { turnId?: string }).turnId ?? '')
    return { row, upTo: this.upTo }
  }

  confirmed = async () => this.upTo
  first = () => `e-${this.oldest - 1}`

  sequenceOf(cursor: string): number | undefined {
    const sequence = Number(/^e(?:arlier)?-(\d+)$/.exec(cursor)?.[1])
    return sequence >= this.oldest - 1 && sequence <= this.upTo ? sequence : undefined
  }

  page(after: number, upTo: number, limit: number, fits: (event: KeptEvent) => boolean) {
    const last = Math.min(upTo, after + limit)
    const all = this.turns.slice(after, last).map((turnId, index) => {
      return { cursor: `e-${after + index + 1}`, type: 'turn-accepted' as const, at: 0, turnId, ...pair }
    })
    return { events: all.filter(fits), last }
  }
}

export class Stage {
  readonly clock = new FakeClock()
  readonly events$ = new Subject<PublishedEvent>()
  readonly log: EventLog
  readonly cache: BatchCache
  readonly gone = new AbortController()
  /** Each event but `turn-message` is a row of it. */
  readonly journal = new Rows()
  live: LiveTurn[] = []
  snapshots = 0
  #sequence = 0

  /** `earlier`: turns of the start of Iris before. */
  constructor(limits?: { readonly events: number; readonly lineBytes: number }, earlier: readonly string[] = []) {
    this.journal.turns.push(...earlier)
    this.log = new EventLog({
      events$: this.events$,
      clock: this.clock,
      liveTurns: () => this.live,
      publishedRows: this.journal,
      ...(limits && { limits }),
    })
    this.cache = new BatchCache(this.log, 'e')
  }

  accepted(turnId: string): void {
    this.#publish({ type: 'turn-accepted', turnId, parentTurnId: null, ...pair })
  }

  says(turnId: string, text: string, thinking = ''): void {
    this.live = [{ turnId, ...pair, text, thinking }]
    this.#publish({ type: 'turn-message', turnId, message: { type: 'stream_event' }, ...pair })
  }

  line(turnId: string): void {
    this.#publish({ type: 'turn-message', turnId, message: { type: 'assistant' }, ...pair })
  }

  settled(turnId: string): void {
    this.live = []
    this.#publish({ type: 'turn-settled', turnId, outcome: 'completed', reason: null, ...pair })
  }

  open(after?: string, signal = this.gone.signal, filter: Filter = {}): AsyncGenerator<Batch, void> {
    const parts = {
      log: this.log,
      cache: this.cache,
      clock: this.clock,
      epoch: 'e',
      snapshot: async () => ({ snapshot: ++this.snapshots }),
      kept: this.journal,
    }
    const all = { maySee: () => true, mayRead: () => true, hearsLines: true }
    return read(parts, { ...all, name: JSON.stringify(filter), filter }, after, signal)
  }

  #publish(event: Record<string, unknown>): void {
    this.#sequence += 1
    this.events$.next({ ...event, sequence: this.#sequence, at: 0 } as unknown as PublishedEvent)
  }
}

/** The next batch. */
export async function take(batches: AsyncGenerator<Batch, void>): Promise<readonly Frame[]> {
  return (await batches.next()).value ?? []
}

/** The batch that comes within `ms`. */
export async function takeWithin(
  ms: number,
  stage: Stage,
  batches: AsyncGenerator<Batch, void>,
): Promise<readonly Frame[]> {
  const taken = take(batches)
  await stage.clock.advance(ms)
  return taken
}

export const textsOf = (batch: readonly Frame[]): unknown[] =>
  batch.filter(({ type }) => type === 'turn-text').map(({ json }) => JSON.parse(json))
