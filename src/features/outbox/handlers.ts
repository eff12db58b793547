import type { z } from 'zod'
import type { Call } from '../../kernel/call/call.ts'
import type { Journal } from '../../kernel/journal/journal.ts'
import type { enableCallback, listCallbacks, replayCallback, testCallback } from './contract.ts'
import type { Outbox } from './outbox.ts'

/** The dependencies of these operations. */
export interface CallbackParts {
  readonly outbox: Pick<Outbox, 'list' | 'queueOf' | 'test'>
  readonly journal: Pick<Journal, 'confirmed' | 'read'>
}

type In<Operation extends { input: z.ZodType }> = z.output<Operation['input']>
type Out<Operation extends { output: z.ZodType }> = z.output<Operation['output']>

/** list_callbacks */
export function list({ outbox }: CallbackParts): Out<typeof listCallbacks> {
  return {
    callbacks: outbox
      .list()
      .map(({ callback, offAt, isFailing, waiting, failed, dropped, oldestAt, nextTryAt, problem }) => ({
        callback: callback.name,
        host: new URL(callback.url).host,
        events: [...callback.events],
        ...(callback.teams && { teams: [...callback.teams] }),
        include: callback.include,
        ...(offAt !== null && { offAt }),
        isFailing,
        waiting,
        failed,
        dropped,
        ...(oldestAt !== undefined && { oldestAt }),
        ...(offAt === null && nextTryAt !== undefined && { nextTryAt }),
        ...(problem !== undefined && { problem }),
      })),
  }
}

/** test_callback */
export async function test(
  { callback }: In<typeof testCallback>,
  { signal }: Call,
  { outbox }: CallbackParts,
): Promise<Out<typeof testCallback>> {
  const tried = await outbox.test(callback, signal)
  if (tried.isTaken) return { callback, isTaken: true, status: tried.status }
  return { callback, isTaken: false, problem: tried.problem }
}

/** replay_callback */
export async function replay(
  { callback, since }: In<typeof replayCallback>,
  { outbox, journal }: CallbackParts,
): Promise<Out<typeof replayCallback>> {
  const queue = outbox.queueOf(callback)
  const newest = await journal.confirmed()
  const after = before(since, newest, journal)
  queue.replay(after)
  return { callback, events: newest - after }
}

/** enable_callback */
export function enable({ callback }: In<typeof enableCallback>, { outbox }: CallbackParts): Out<typeof enableCallback> {
  const queue = outbox.queueOf(callback)
  queue.enable()
  return { callback, waiting: queue.view.waiting }
}

/**
 * The sequence number before the first row at or after `at`. Rows are in the order of their times, unless somebody sets
 * the clock.
 */
function before(at: number, newest: number, journal: Pick<Journal, 'read'>): number {
  let [low, high] = [0, newest]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = journal.read(middle, newest, 1)
    if (row === undefined || row.at >= at) high = middle
    else low = row.sequence
  }
  return low
}
