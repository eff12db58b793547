import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { JudgedValue } from '../../kernel/turn/message-contracts.ts'
import { tooLargeSchema, tooLargeValue } from './bounds.ts'

/** Without `value`: only checks the schema. */
export interface SchemaRequest {
  readonly schema: unknown
  readonly value?: unknown
}

export type SchemaAnswer = JudgedValue | { readonly mistake: string }

/** Processor time for one request, milliseconds. After it the thread is ended; the next request starts another. */
const maxMs = 1000
/** How long one request may take where other programs keep the processors busy, milliseconds. */
const maxWaitMs = 10_000
const lookEveryMs = 250
/** How long an idle thread is kept, milliseconds. */
const restMs = 60_000
const memoryMb = 128

const program = new URL(import.meta.url.endsWith('.ts') ? 'schema-worker.ts' : 'schema-worker.js', import.meta.url)

/** Validates JSON Schema, dialect 2020-12, in its own thread, one request at a time. The first use starts it. */
export class Schemas {
  readonly #clock: Pick<Clock, 'after'>
  #worker: Promise<Worker> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #cancelRest = (): void => {}

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  /** Throws `schema_invalid`. `whose`: the schema's name in the error. */
  async check(schema: unknown, whose: string): Promise<void> {
    const tooLarge = tooLargeSchema(schema)
    if (tooLarge !== undefined) throw invalid(whose, tooLarge)
    const answer = await this.#ask({ schema })
    if ('mistake' in answer) throw invalid(whose, answer.mistake)
    if ('errors' in answer) throw invalid(whose, answer.errors.join(' '))
  }

  /** The value that meets the schema, parsed if it came as text, or its errors. Throws `schema_invalid`. */
  async judge(schema: unknown, value: unknown, whose: string): Promise<JudgedValue> {
    const tooLarge = tooLargeValue(value)
    if (tooLarge !== undefined) return { errors: [tooLarge] }
    const answer = await this.#ask({ schema, value })
    if ('mistake' in answer) throw invalid(whose, answer.mistake)
    return answer
  }

  async close(): Promise<void> {
    this.#cancelRest()
    const worker = this.#worker
    this.#worker = undefined
    await worker?.then((thread) => thread.terminate()).catch(() => {})
  }

  #ask(request: SchemaRequest): Promise<SchemaAnswer> {
    const answer = this.#last.then(() => this.#askNow(request))
    this.#last = answer.catch(() => {})
    return answer
  }

  async #askNow(request: SchemaRequest): Promise<SchemaAnswer> {
    this.#cancelRest()
    const worker = await (this.#worker ??= this.#start())
    const answered = Promise.withResolvers<SchemaAnswer | undefined>()
    const onError = (): void => answered.resolve(undefined)
    const cancelLimit = await this.#limit(worker, onError)
    worker.once('message', answered.resolve)
    worker.once('error', onError)
    worker.postMessage(request)
    const answer = await answered.promise
    cancelLimit()
    worker.off('error', onError)
    if (answer === undefined) {
      await this.close()
      return { errors: [`Judging it takes more than ${maxMs} ms of a processor or ${memoryMb} MB.`] }
    }
    this.#cancelRest = this.#clock.after(restMs, () => void this.close())
    return answer
  }

  /** Calls `onOver` once the request has used up its time. Returns the function that ends the watch. */
  async #limit(worker: Worker, onOver: () => void): Promise<() => void> {
    const before = await usedMs(worker)
    let isOver = false
    let cancelTimer = (): void => {}
    const look = async (waitedMs: number): Promise<void> => {
      const used = (await usedMs(worker)) - before
      if (isOver) return
      // Before Node 24.6 a thread does not say what it used.
      if ((Number.isNaN(used) ? waitedMs : used) >= maxMs || waitedMs >= maxWaitMs) onOver()
      else lookLater(waitedMs + lookEveryMs)
    }
    const lookLater = (waitedMs: number): void => {
      cancelTimer = this.#clock.after(lookEveryMs, () => void look(waitedMs).catch(onOver))
    }
    lookLater(lookEveryMs)
    return () => {
      isOver = true
      cancelTimer()
    }
  }

  /** A thread that did not start is not kept: the next call starts another one. */
  async #start(): Promise<Worker> {
    try {
      return await startWorker()
    } catch (error) {
      this.#worker = undefined
      throw error
    }
  }
}

/** Processor time of a thread so far, milliseconds; NaN where Node does not say. */
async function usedMs(worker: Partial<Pick<Worker, 'cpuUsage'>>): Promise<number> {
  const usage = await worker.cpuUsage?.()
  return usage === undefined ? Number.NaN : (usage.user + usage.system) / 1000
}

async function startWorker(): Promise<Worker> {
  const worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } })
  worker.unref()
  // Without a listener, an error of the thread would end the daemon.
  worker.on('error', () => {})
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  worker.once('message', () => resolve())
  worker.once('error', reject)
  await promise
  return worker
}

function invalid(whose: string, why: string): IrisError {
  return new IrisError(
    'schema_invalid',
    `${whose} is no JSON Schema that Iris accepts. ${why}`,
    'Correct it: JSON Schema 2020-12, at most 64 KiB and 32 levels, with references inside it only.',
  )
}
