import { isDeepStrictEqual } from 'node:util'
import type { Observable, Subscription } from 'rxjs'
import type { TraceExport } from '../../adapters/otlp/trace-export.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Config } from '../../platform/config/config.ts'

export interface TraceLinkParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly events: Observable<PublishedEvent>
  /** The file of the store. */
  readonly store: string
}

/** Sends traces where config.yaml says so. The code for it is loaded only then. */
export class TraceLink {
  readonly #parts: TraceLinkParts
  #work: Promise<void> = Promise.resolve()
  #inForce: object | undefined
  #running: { readonly export: TraceExport; readonly turns: Subscription } | undefined

  constructor(parts: TraceLinkParts) {
    this.#parts = parts
  }

  /** Turns that were sent, and that were dropped. */
  get counts(): TraceExport['counts'] {
    return this.#running?.export.counts ?? { sent: 0, dropped: 0 }
  }

  begin(): void {
    this.settingsChanged()
  }

  settingsChanged(): void {
    this.#work = this.#work.then(() => this.#change())
  }

  async end(): Promise<void> {
    await this.#work
    await this.#stop()
  }

  async #change(): Promise<void> {
    const { tracesTo: endpoint, traceHeaders: headers } = this.#parts.config().insight
    const wanted = endpoint === undefined ? undefined : { endpoint, headers }
    if (isDeepStrictEqual(wanted, this.#inForce)) return
    this.#inForce = wanted
    await this.#stop()
    if (wanted === undefined) return
    const { store, clock, log, events } = this.#parts
    const { TraceExport } = await import('../../adapters/otlp/trace-export.ts')
    const started = new TraceExport({ store, ...wanted }, clock, log)
    const turns = events.subscribe((event) => event.type === 'turn-settled' && started.add(event.turnId))
    this.#running = { export: started, turns }
  }

  async #stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    running?.turns.unsubscribe()
    await running?.export.close()
  }
}
