import { isDeepStrictEqual } from 'node:util'
import { every } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Journal } from '../../kernel/journal/journal.ts'
import type { CallbackConfig } from '../../platform/config/config.ts'
import { Counter } from '../../platform/metrics/counter.ts'
import { type Family, gauge } from '../../platform/metrics/exposition.ts'
import { CallbackQueue, type QueueParts } from './queue.ts'
import { send, type Tried } from './send.ts'

export interface OutboxParts extends Omit<QueueParts, 'journal' | 'slots' | 'counted'> {
  readonly journal: Pick<Journal, 'confirmed' | 'read' | 'cursorOf' | 'onRows'>
  readonly newId: () => string
}

/** The most posts that run at once, for all callbacks together. */
const mostPosts = 8
const dayMs = 86_400_000
/** How long failed events are kept: as long as journal rows. */
const keptMs = 30 * dayMs

/** The callbacks of config.yaml, each with its queue. */
export class Outbox {
  readonly #parts: OutboxParts
  readonly #queues = new Map<string, { readonly queue: CallbackQueue; readonly callback: CallbackConfig }>()
  readonly #deliveries = new Counter<'callback' | 'result'>(
    'iris_callback_deliveries_total',
    'Attempts to post an event to a callback (taken or failed), and events that Iris gave up on (given_up).',
  )
  #posts = 0
  #isOpen = false
  #ends: (() => void)[] = []

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  /** Starts posting. */
  begin(): void {
    const { journal, clock } = this.#parts
    this.#isOpen = true
    this.changed()
    this.#forget()
    let isWaking = false
    const woken = journal.onRows(() => {
      if (isWaking) return
      isWaking = true
      // Messages come first.
      setImmediate(() => {
        isWaking = false
        for (const { queue } of this.#queues.values()) queue.wake()
      })
    })
    this.#ends = [woken, every(clock, dayMs, () => this.#forget())]
  }

  /** Called when another configuration is in force. A removed callback keeps its place, in case it comes back. */
  changed(): void {
    if (!this.#isOpen) return
    const { callbacks } = this.#parts.config()
    for (const [name, { queue }] of this.#queues) {
      if (callbacks.has(name)) continue
      queue.close()
      this.#queues.delete(name)
    }
    for (const [name, callback] of callbacks) {
      const known = this.#queues.get(name)
      const queue = known?.queue ?? new CallbackQueue(callback, this.#queueParts())
      this.#queues.set(name, { queue, callback })
      if (known === undefined) queue.wake()
      else if (!isDeepStrictEqual(known.callback, callback)) queue.reconfigure(callback)
    }
  }

  putBack(): void {
    for (const { queue } of this.#queues.values()) queue.putBack()
  }

  quiet(): void {
    this.#isOpen = false
    for (const end of this.#ends) end()
    for (const { queue } of this.#queues.values()) queue.quiet()
  }

  close(): void {
    this.quiet()
    for (const { queue } of this.#queues.values()) queue.close()
  }

  /** Each callback with the state of its queue, as in config.yaml. */
  list() {
    const inOrder = [...this.#parts.config().callbacks.keys()].flatMap((name) => this.#queues.get(name) ?? [])
    return inOrder.map(({ queue, callback }) => ({ callback, ...queue.view }))
  }

  /** Throws `not_found`. */
  queueOf(name: string): CallbackQueue {
    return this.#known(name).queue
  }

  /** Posts an event without content at once, and does not repeat it. Throws `not_found`. */
  async test(name: string, signal: AbortSignal): Promise<Tried> {
    const { clock, newId } = this.#parts
    const { callback } = this.#known(name)
    const data = { callback: name, metadata: null }
    return send(callback, { id: newId(), at: clock.now(), type: 'callback-test', data }, signal, this.#parts)
  }

  /** The metrics for Prometheus. */
  get families(): Family[] {
    const all = this.list()
    const of = (value: (each: (typeof all)[number]) => number) =>
      all.map((each) => ({ labels: { callback: each.callback.name }, value: value(each) }))
    const now = this.#parts.clock.now()
    return [
      gauge(
        'iris_callback_waiting',
        'Events that are waiting for a callback to accept them.',
        of(({ waiting }) => waiting),
      ),
      gauge(
        'iris_callback_oldest_seconds',
        'Age of the oldest waiting event.',
        of(({ oldestAt }) => (oldestAt === undefined ? 0 : Math.max(0, now - oldestAt) / 1000)),
      ),
      this.#deliveries.family,
    ]
  }

  #known(name: string) {
    const found = this.#queues.get(name)
    if (found !== undefined) return found
    const names = [...this.#queues.keys()].join(', ') || 'none yet'
    throw new IrisError(
      'not_found',
      `There is no callback "${name}".`,
      `Callbacks: ${names}. To add one, define it under callbacks in config.yaml.`,
    )
  }

  #queueParts(): QueueParts {
    return {
      ...this.#parts,
      counted: (callback, result, by) => this.#deliveries.add({ callback, result }, by),
      slots: {
        isFree: () => this.#posts < mostPosts,
        take: () => {
          this.#posts += 1
        },
        release: () => {
          this.#posts -= 1
          this.#pumpAll()
        },
      },
    }
  }

  /** Each time, the first callback moves to the end, so that no callback takes all the slots. */
  #pumpAll(): void {
    const [first] = this.#queues
    if (first === undefined) return
    this.#queues.delete(first[0])
    this.#queues.set(...first)
    for (const { queue } of this.#queues.values()) queue.pump()
  }

  #forget(): void {
    const { clock, config, rows, log } = this.#parts
    try {
      rows.forget(clock.now() - keptMs, [...config().callbacks.keys()])
    } catch (error) {
      log.warn(`old events of callbacks were not deleted: ${String(error)}`)
    }
  }
}
