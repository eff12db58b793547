import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Log } from '../../../base/lib/log.ts'
import { sha256 } from '../../../base/lib/sha256.ts'
import type { TraceWork } from './trace-export.ts'

/** What the thread gets. `port`: the port on which it listened before. */
export type ReceiverWork = TraceWork & { readonly port: number }

/** A process that may send, by the hash of its token; `sender` is undefined once the process has ended. */
export interface SenderChange {
  readonly hash: string
  readonly sender: { readonly sessionId: string; readonly team: string } | undefined
}

/** Counts of telemetry records since the receiver started. */
export interface ReceivedCounts {
  readonly sent: number
  /** Records that were lost, because the collector did not accept them or too many were waiting. */
  readonly dropped: number
  /**
   * Records that belong to another conversation, to no turn or to a turn whose caller does not record it, or that were
   * not understood.
   */
  readonly refused: number
}

export type ReceiverMessage = { readonly port: number } | ({ readonly problem: string | undefined } & ReceivedCounts)

const program = new URL(import.meta.url.endsWith('.ts') ? 'receiver-worker.ts' : 'receiver-worker.js', import.meta.url)
const maxMegabytes = 128
const restMs = 1000
const none: ReceivedCounts = { sent: 0, dropped: 0, refused: 0 }

/**
 * Receives the telemetry of Claude Code's processes on the loopback address. A separate thread listens, reads and
 * sends, so a flood delays no message. Each process has its own token, and its records are attached to its own
 * conversation only.
 */
export class TelemetryReceiver {
  readonly #work: TraceWork
  readonly #clock: Pick<Clock, 'after'>
  readonly #log: Log
  readonly #senders = new Map<string, NonNullable<SenderChange['sender']>>()
  #worker: Worker | undefined
  #port = 0
  #counts = none
  #before = none
  #isTroubled = false
  #isClosed = false
  #stopRest = (): void => {}

  constructor(work: TraceWork, clock: Pick<Clock, 'after'>, log: Log) {
    this.#work = work
    this.#clock = clock
    this.#log = log
  }

  get counts(): ReceivedCounts {
    return plus(this.#before, this.#counts)
  }

  /** Resolves when it is listening, or has failed to listen. */
  async start(): Promise<void> {
    if (this.#isClosed) return
    const resourceLimits = { maxOldGenerationSizeMb: maxMegabytes }
    const worker = new Worker(program, { workerData: { ...this.#work, port: this.#port }, resourceLimits })
    worker.unref()
    this.#worker = worker
    const listens = Promise.withResolvers<void>()
    let why: string | undefined
    worker.on('message', (message: ReceiverMessage) => {
      if ('port' in message) {
        this.#port = message.port
        listens.resolve()
      } else this.#report(message)
    })
    worker.once('error', (error) => (why = error instanceof Error ? error.message : String(error)))
    worker.once('exit', () => {
      listens.resolve()
      if (this.#isClosed) return
      this.#log.warn(`Claude Code's telemetry is not received for now: ${why ?? 'its thread was ended'}`)
      this.#before = this.counts
      this.#counts = none
      this.#stopRest = this.#clock.after(restMs, () => void this.start())
    })
    for (const [hash, sender] of this.#senders) worker.postMessage({ hash, sender } satisfies SenderChange)
    await listens.promise
  }

  /**
   * The address to which a process of this conversation sends until `end` is called. Undefined if the receiver is not
   * listening.
   */
  open(sender: NonNullable<SenderChange['sender']>): { url: string; token: string; end: () => void } | undefined {
    if (this.#port === 0) return undefined
    const token = randomBytes(32).toString('base64url')
    const hash = sha256(token)
    this.#senders.set(hash, sender)
    this.#worker?.postMessage({ hash, sender } satisfies SenderChange)
    const end = (): void => {
      this.#senders.delete(hash)
      this.#worker?.postMessage({ hash, sender: undefined } satisfies SenderChange)
    }
    return { url: `http://127.0.0.1:${this.#port}`, token, end }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopRest()
    await this.#worker?.terminate()
  }

  #report({ problem, ...counts }: Exclude<ReceiverMessage, { port: number }>): void {
    this.#counts = counts
    if (problem !== undefined && !this.#isTroubled) this.#log.warn(`Claude Code's telemetry is dropped: ${problem}`)
    this.#isTroubled = problem !== undefined
  }
}

function plus(a: ReceivedCounts, b: ReceivedCounts): ReceivedCounts {
  return { sent: a.sent + b.sent, dropped: a.dropped + b.dropped, refused: a.refused + b.refused }
}
