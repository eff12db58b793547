import type { QueryClient } from '@tanstack/react-query'
import { type Connection, follow, type StreamFrame } from '../../../../src/adapters/client/event-stream.ts'
import { systemClock } from '../../../../src/base/lib/clock.ts'
import type { LiveTurn } from '../../../../src/base/protocol/live-turn.ts'
import { askAgain } from './ask-again.ts'
import { LiveTexts, type TextFrame } from './live-texts.ts'
import { openSocket } from './socket.ts'
import { staleAfter } from './stale-after.ts'

type Listener = () => void

/** A burst of events causes one request for stale data, and continuous events one per second. */
const gatherMs = 100
const pauseMs = 1000

/**
 * The one stream of this page. Its events make the cache stale, feed the live texts, and go to all listeners. Created
 * once; ends with `end`.
 */
export class Live {
  readonly texts = new LiveTexts()
  readonly thoughts = new LiveTexts()
  #connection: Connection = 'connecting'
  readonly #queries: QueryClient
  readonly #left = new AbortController()
  readonly #connectionListeners = new Set<Listener>()
  readonly #frameListeners = new Set<(frame: StreamFrame) => void>()
  readonly #stale = new Set<string>()
  #gathering: (() => void) | undefined
  #askedAt = 0

  constructor(queries: QueryClient) {
    this.#queries = queries
    void this.#read()
  }

  get connection(): Connection {
    return this.#connection
  }

  readonly onConnection = (listener: Listener): (() => void) => {
    this.#connectionListeners.add(listener)
    return () => this.#connectionListeners.delete(listener)
  }

  /** Calls `listener` with every frame, snapshots included. Returns a function that ends this. */
  readonly onFrame = (listener: (frame: StreamFrame) => void): (() => void) => {
    this.#frameListeners.add(listener)
    return () => this.#frameListeners.delete(listener)
  }

  end(): void {
    this.#left.abort()
    this.#gathering?.()
  }

  async #read(): Promise<void> {
    const { signal } = this.#left
    const onConnection = (connection: Connection): void => this.#turnTo(connection)
    const open = openSocket('/api/stream?kept=false')
    for await (const frame of follow({ open, clock: systemClock, signal, onConnection })) this.#take(frame)
  }

  #turnTo(connection: Connection): void {
    this.#connection = connection
    for (const listener of this.#connectionListeners) listener()
  }

  #take(frame: StreamFrame): void {
    const { type, data } = frame
    if (type === 'snapshot') this.#restart(data as Snapshot)
    else if (type === 'turn-text') this.texts.add(data as TextFrame)
    else if (type === 'turn-thinking') this.thoughts.add(data as TextFrame)
    else if (type === 'turn-settled') this.#drop((data as { turnId: string }).turnId)
    this.#makeStale(staleAfter(type))
    for (const listener of this.#frameListeners) listener(frame)
  }

  /** Nobody knows which events were missed, so everything on the page is requested again. */
  #restart({ turns, ...status }: Snapshot): void {
    this.texts.restart(turns)
    this.thoughts.restart(turns.map(({ turnId, thinking }) => ({ turnId, text: thinking })))
    void askAgain(this.#queries)
    this.#queries.setQueryData(['team_status', {}], status)
  }

  #drop(turnId: string): void {
    this.texts.drop(turnId)
    this.thoughts.drop(turnId)
  }

  #makeStale(operations: readonly string[]): void {
    if (operations.length === 0) return
    for (const operation of operations) this.#stale.add(operation)
    const wait = Math.max(gatherMs, this.#askedAt + pauseMs - systemClock.elapsed())
    this.#gathering ??= systemClock.after(wait, () => {
      this.#gathering = undefined
      this.#askedAt = systemClock.elapsed()
      const stale = new Set(this.#stale)
      this.#stale.clear()
      void askAgain(this.#queries, { predicate: ({ queryKey: [name] }) => stale.has(name as string) })
    })
  }
}

interface Snapshot {
  readonly turns: readonly LiveTurn[]
}
