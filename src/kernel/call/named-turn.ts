import { nearest } from '../../base/lib/nearest.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { TreeRows } from '../../platform/store/trees.ts'
import type { Call } from './call.ts'
import { isRestricted } from './policy.ts'

/** The dependencies of these operations. */
export interface NamedTurnParts {
  readonly trees: Pick<TreeRows, 'above' | 'beginningWith' | 'latest' | 'spent'>
}

/** Fewer characters name nothing: asked one by one, they would say which ids there are. */
const fewest = 4

/** The one turn id that begins with `named`, or `named` itself when none does. Throws `unknown_turn` for several. */
export function namedTurn(named: string, { trees }: Pick<NamedTurnParts, 'trees'>): string {
  if (named.length < fewest) return named
  const [turnId = named, another] = trees.beginningWith(named.toLowerCase())
  if (another === undefined) return turnId
  throw new IrisError('unknown_turn', `More than one turn begins with ${named}.`, 'Give more characters of its id.')
}

/** `what` is the message. A caller who may see all turns also learns which id may be meant. */
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

/** Length of an id in lists; a shorter text resembles too many ids. */
const shownLength = 8

/** `Did you mean 3f2a9c01? ` where `named` is a misspelling of one of these ids, or of its beginning; else empty. */
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
