import type { Turn } from '../turn/turn.ts'

/**
 * Where a turn goes in its queue: behind those of its priority, and behind the first one, which may have begun. One that
 * was delivered before is the first one.
 */
export function placeOf(
  { delivery, facts: { priority } }: Pick<Turn, 'delivery' | 'facts'>,
  queue: readonly Pick<Turn, 'facts'>[],
): number {
  if (delivery !== undefined) return 0
  const after = queue.findIndex(({ facts }, at) => at > 0 && facts.priority < priority)
  return after === -1 ? queue.length : after
}
