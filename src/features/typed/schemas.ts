import { Worker } from 'node:worker_threads'
import type { Clock } from '../../base/lib/clock.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { JudgedValue } from '../../kernel/turn/message-contracts.ts'
import { maxSchemaBytes, maxSchemaDepth, whySchemaTooLarge, whyValueTooLarge } from './bounds.ts'

export type SchemaRequest =
  | { readonly kind: 'check'; readonly schema: unknown }
  | { readonly kind: 'judge'; readonly schema: unknown; readonly value: unknown }

/** The thread's answer. `why`: what is wrong with the schema. */
export type SchemaAnswer =
  | { readonly kind: 'valid' }
  | { readonly kind: 'judged'; readonly judged: JudgedValue }
  | { readonly kind: 'invalid'; readonly why: string }

/** The thread did not answer, and was ended. */
interface GivenUp {
  readonly kind: 'gave up'
  readonly why: string
}

/**
 * Processor time for one request, milliseconds. After this time the thread is ended; the next request starts another.
 */
const maxProcessorMs = 1000
/** The longest that one request may take, including time when other programs keep the processors busy, milliseconds. */
const maxWaitMs = 10_000
/** How often the time of a request is measured, milliseconds. */
const lookEveryMs = 250
/** How long an idle thread is kept, milliseconds. */
const idleMs = 60_000
const memoryMb = 128

const program = new URL(import.meta.url.endsWith('.ts') ? 'schema-worker.ts' : 'schema-worker.js', import.meta.url)

/** Validates JSON Schema, dialect 2020-12, in its own thread, one request at a time. The first use starts it. */
export class Schemas {
  readonly #clock: Pick<Clock, 'after'>
  #worker: Promise<Worker> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #cancelIdleEnd = (): void => {}

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  /** Throws `schema_invalid`. `whose`: the schema's name in the error. */
  async check(schema: unknown, whose: string): Promise<void> {
    const tooLarge = whySchemaTooLarge(schema)
    if (tooLarge !== undefined) throw invalid(whose, tooLarge)
    const answer = await this.#ask({ kind: 'check', schema })
    if ('why' in answer) throw invalid(whose, answer.why)
  }

  /** The value that meets the schema, parsed if it came as text, or the value's errors. Throws `schema_invalid`. */
  async judge(schema: unknown, value: unknown, whose: string): Promise<JudgedValue> {
    const tooLarge = whyValueTooLarge(value)
    if (tooLarge !== undefined) return { errors: [tooLarge] }
    const answer = await this.#ask({ kind: 'judge', schema, value })
    if (answer.kind === 'judged') return answer.judged
    if (answer.kind === 'gave up') return { errors: [answer.why] }
    throw invalid(whose, answer.kind === 'invalid' ? answer.why : 'The validator gave no result.')
  }

  async close(): Promise<void> {
    this.#cancelIdleEnd()
    const worker = this.#worker
    this.#worker = undefined
    await worker?.then((thread) => thread.terminate()).catch(() => {})
  }

  #ask(request: SchemaRequest): Promise<SchemaAnswer | GivenUp> {
    const answer = this.#last.then(() => this.#askNow(request))
    this.#last = answer.catch(() => {})
    return answer
  }

  async #askNow(request: SchemaRequest): Promise<SchemaAnswer | GivenUp> {
    this.#cancelIdleEnd()
    const worker = await (this.#worker ??= this.#start())
    const answered = Promise.withResolvers<SchemaAnswer | GivenUp>()
    const giveUp = (why: string): void => answered.resolve({ kind: 'gave up', why })
    const onError = (error: unknown): void => giveUp(whyFailed(error))
    const cancelLimit = await this.#limit(worker, giveUp)
    worker.once('message', answered.resolve)
    worker.once('error', onError)
    worker.postMessage(request)
    const answer = await answered.promise
    cancelLimit()
    worker.off('error', onError)
    if (answer.kind === 'gave up') await this.close()
    else this.#cancelIdleEnd = this.#clock.after(idleMs, () => void this.close())
    return answer
  }

  /** Calls `giveUp` with the reason once the request has used up its time. Returns the function that ends the watch. */
  async #limit(worker: Worker, giveUp: (why: string) => void): Promise<() => void> {
    const before = await usedMs(worker)
    let hasEnded = false
    let cancelTimer = (): void => {}
    const look = async (waitedMs: number): Promise<void> => {
      const used = (await usedMs(worker)) - before
      if (hasEnded) return
      const why = whyTooSlow(used, waitedMs)
      if (why === undefined) lookLater(waitedMs + lookEveryMs)
      else giveUp(why)
    }
    const lookLater = (waitedMs: number): void => {
      cancelTimer = this.#clock.after(
        lookEveryMs,
        () => void look(waitedMs).catch((error: unknown) => giveUp(whyFailed(error))),
      )
    }
    lookLater(lookEveryMs)
    return () => {
      hasEnded = true
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

/** Why a request is given up; undefined while it has time left. Before Node 24.6 `processorMs` is NaN. */
function whyTooSlow(processorMs: number, waitedMs: number): string | undefined {
  if (Number.isNaN(processorMs) && waitedMs >= maxProcessorMs)
    return `Checking it took longer than ${maxProcessorMs / 1000} s.`
  if (processorMs >= maxProcessorMs) return `Judging it took longer than ${maxProcessorMs / 1000} s of processor time.`
  return waitedMs >= maxWaitMs ? `Judging it was not finished within ${maxWaitMs / 1000} s.` : undefined
}

function whyFailed(error: unknown): string {
  const { code, message = String(error) } = error as { code?: string; message?: string }
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `Checking it took more than ${memoryMb} MB of memory.`
    : `The validator failed: ${message}.`
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

/** What is wrong with a value, for one sentence: `/port must be integer; The value has 2000000 bytes`. */
export function joinedErrors(errors: readonly string[]): string {
  return errors.map((error) => error.replace(/\.$/, '')).join('; ')
}

function invalid(whose: string, why: string): IrisError {
  return new IrisError(
    'schema_invalid',
    `${whose} is not a JSON Schema that Iris accepts: ${why}`,
    `Use JSON Schema 2020-12, at most ${maxSchemaBytes / 1024} KiB and ${maxSchemaDepth} levels deep, and with references only within the schema.`,
  )
}
