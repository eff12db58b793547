import type { DatabaseSync } from 'node:sqlite'

/**
 * The sequence number from which on turns were accepted at or after `at`, milliseconds since the epoch. Searches by
 * sequence number, because with an index on the time, each turn would write one more page.
 */
export function firstSince(database: DatabaseSync, at: number): number {
  const next = database.prepare('SELECT sequence, accepted_at FROM turns WHERE sequence >= ? ORDER BY sequence LIMIT 1')
  let low = 0
  let high = newestSequence(database) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = next.get(middle)
    if (found === undefined || Number(found['accepted_at']) >= at) high = middle
    else low = Number(found['sequence']) + 1
  }
  return low
}

/** How many turns may be out of order: if the clock was set back, later turns have earlier times. */
const outOfOrder = 1000

/**
 * Like `firstSince`, but some turns earlier, for sums that must not miss any turn; these sums also compare each turn's
 * time. 0 means from the first turn on.
 */
export function fewBefore(database: DatabaseSync, since: number): number {
  return since <= 0 ? 0 : Math.max(0, firstSince(database, since) - outOfOrder)
}

/** The sequence number of the latest turn; 0 if there is no turn. */
export function newestSequence(database: DatabaseSync): number {
  return Number(database.prepare('SELECT MAX(sequence) AS newest FROM turns').get()?.['newest'] ?? 0)
}
