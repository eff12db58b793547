import { nearest } from '../../base/lib/nearest.ts'

/** As lists show an id; of fewer characters too many are near. */
const shownLength = 8

/** `Did you mean 3f2a9c01? `, where `named` is a slip of one of these ids, or of its beginning; else nothing. */
export function meantId(named: string, ids: readonly string[]): string {
  const length = Math.max(shownLength, named.length)
  const meant =
    named.length < shownLength - 1
      ? undefined
      : nearest(
          named,
          ids.map((id) => id.slice(0, length)),
        )
  return meant === undefined ? '' : `Did you mean ${meant}? `
}
