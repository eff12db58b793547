import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Log } from '../../../base/lib/log.ts'
import type { ProxyAccess } from '../../../base/lib/proxy-access.ts'

/** What the thread gets. */
export interface TraceWork {
  readonly store: string
  /** The address that accepts traces by OTLP over HTTP. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined for a direct connection to the endpoint. */
  readonly proxy?: ProxyAccess | undefined
}

/** Turns that have ended. */
export interface TraceBatch {
  readonly turns: readonly string[]
}

export interface TraceReport {
  readonly sent: number
  readonly dropped: number
  readonly problem: string | undefined
}

export interface TraceCounts {
  /** The number of turns. */
  readonly sent: number
  readonly dropped: number
}

const program = new URL(import.meta.url.endsWith('.ts') ? 'trace-worker.ts' : 'trace-worker.js', import.meta.url)
const maxWaiting = 4096
const maxInBatch = 256
const restMs = 2000
const maxMegabytes = 128
/** Longer than the thread waits for the receiver. */
const patienceMs = 20_000

/**
 * Sends the spans of ended turns, from a thread that reads the store. In the daemon's own thread, a turn costs only its
 * id. If the receiver does not answer, or too many turns are waiting, turns are dropped and counted.
 */
export class TraceExport {
  readonly #work: TraceWork
  readonly #clock: Pick<Clock, 'after'>
  readonly #log: Log
  #waiting: string[] = []
  #worker: Worker | undefined
  #atWork = 0
  #stopPatience = (): void => {}
  #stopRest: (() => void) | undefined
  #sent = 0
  #dropped = 0
  #isTroubled = false
  #isClosed = false

  constructor(work: TraceWork, clock: Pick<Clock, 'after'>, log: Log) {
    this.#work = work
    this.#clock = clock
    this.#log = log
  }

  get counts(): TraceCounts {
    return { sent: this.#sent, dropped: this.#dropped }
  }

  /** Called when a turn has ended. */
  add(turnId: string): void {
    if (this.#waiting.length >= maxWaiting) this.#dropped += 1
    else this.#waiting.push(turnId)
    this.#rest()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopRest?.()
    this.#stopPatience()
    await this.#worker?.terminate()
  }

  #rest(): void {
    if (this.#stopRest !== undefined || this.#isClosed) return
    this.#stopRest = this.#clock.after(restMs, () => {
      this.#stopRest = undefined
      this.#send()
    })
  }

  #send(): void {
    if (this.#atWork > 0 || this.#waiting.length === 0 || this.#isClosed) return
    const turns = this.#waiting.splice(0, maxInBatch)
    this.#atWork = turns.length
    this.#worker ??= this.#start()
    this.#worker.postMessage({ turns } satisfies TraceBatch)
    this.#stopPatience = this.#clock.after(patienceMs, () => void this.#worker?.terminate())
  }

  #start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: maxMegabytes }
    const worker = new Worker(program, { workerData: this.#work, resourceLimits })
    worker.unref()
    let why: string | undefined
    worker.on('message', (report: TraceReport) => this.#ended(report))
    worker.once('error', (error) => (why = error instanceof Error ? error.message : String(error)))
    worker.once('exit', () => {
      this.#worker = undefined
      if (this.#atWork > 0 && !this.#isClosed)
        this.#ended({ sent: 0, dropped: this.#atWork, problem: why ?? 'its thread was ended' })
    })
    return worker
  }

  #ended({ sent, dropped, problem }: TraceReport): void {
    this.#stopPatience()
    this.#atWork = 0
    this.#sent += sent
    this.#dropped += dropped
    if (problem !== undefined && !this.#isTroubled) this.#log.warn(`traces are dropped: ${problem}`)
    if (problem === undefined && this.#isTroubled)
      this.#log.info(`traces are sent again; ${this.#dropped} were dropped`)
    this.#isTroubled = problem !== undefined
    if (this.#waiting.length > 0) this.#rest()
  }
}
