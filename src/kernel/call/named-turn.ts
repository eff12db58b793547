import { nearest } from '../../base/lib/nearest.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { TreeRows } from '../../platform/store/trees.ts'
import type { Call } from './call.ts'
import { isRestricted } from './policy.ts'

/** The dependencies of the functions in this file. */
export interface NamedTurnParts {
  readonly trees: Pick<TreeRows, 'above' | 'beginningWith' | 'latest' | 'spent'>
}

/** Shorter prefixes are not resolved, because a caller could try them all and find out which ids exist. */
const fewest = 4

/**
 * The only turn id that begins with `named`, or `named` itself if there is none. Throws `unknown_turn` if several ids
 * begin with it.
 */
export function namedTurn(named: string, { trees }: Pick<NamedTurnParts, 'trees'>): string {
  if (named.length < fewest) return named
  const [turnId = named, another] = trees.beginningWith(named.toLowerCase())
  if (another === undefined) return turnId
  throw new IrisError('unknown_turn', `More than one turn begins with ${named}.`, 'Give more characters of its id.')
}

/**
 * `what` is the error's message. For a caller who may see all turns, the error also suggests an id that may have been
 * meant.
 */
export function unknownTurn(
  what: string,
  named: string,
  remedy: string,
  { auth }: Call,
  { trees }: NamedTurnParts,
): IrisError {
  const meant = isRestricted(auth.principal) ? '' : meantId(named, trees.latest())
  return new IrisError('unknown_turn', what, `${meant}${remedy}`)
}

/** The length of an id in lists; a shorter text would resemble too many ids. */
const shownLength = 8

/** `Did you mean 3f2a9c01? ` if `named` is a misspelling of one of these ids or of its beginning; otherwise empty. */
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
