import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import { tooLargeSchema, tooLargeValue } from './bounds.ts'
import type { Judged } from './judge.ts'

/** Without `value`: only checks the schema. */
export interface SchemaRequest {
  readonly schema: unknown
  readonly value?: unknown
}

export type SchemaAnswer = Judged | { readonly mistake: string }

/** Time limit for one request, milliseconds. After it the thread is ended; the next request starts another. */
const longestMs = 1000
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
  async judge(schema: unknown, value: unknown, whose: string): Promise<Judged> {
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
    const cancelTimer = this.#clock.after(longestMs, () => answered.resolve(undefined))
    const onError = (): void => answered.resolve(undefined)
    worker.once('message', answered.resolve)
    worker.once('error', onError)
    worker.postMessage(request)
    const answer = await answered.promise
    cancelTimer()
    worker.off('error', onError)
    if (answer === undefined) {
      await this.close()
      return { errors: [`Judging it takes more than ${longestMs} ms or ${memoryMb} MB.`] }
    }
    this.#cancelRest = this.#clock.after(restMs, () => void this.close())
    return answer
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
    `${whose} is no JSON Schema that Iris takes. ${why}`,
    'Correct it: JSON Schema 2020-12, at most 64 KiB and 32 levels, with references inside it only.',
  )
}
