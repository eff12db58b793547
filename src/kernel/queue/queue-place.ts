import type { Turn } from '../turn/turn.ts'

/**
 * A turn's position in its queue: behind turns of the same priority, and behind the first turn, which may have begun. A
 * turn that was already delivered becomes the first.
 */
export function placeOf(
  { delivery, facts: { priority } }: Pick<Turn, 'delivery' | 'facts'>,
  queue: readonly Pick<Turn, 'facts'>[],
): number {
  if (delivery !== undefined) return 0
  const after = queue.findIndex(({ facts }, at) => at > 0 && facts.priority < priority)
  return after === -1 ? queue.length : after
}
