import { nearest } from '../../base/lib/nearest.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Call, Domain } from './call.ts'
import { isRestricted } from './policy.ts'

/** The whole id of the turn whose id begins so; what is given where none does. Throws where more than one does. */
export function namedTurn(named: string, { trees }: Pick<Domain, 'trees'>): string {
  const [turnId = named, another] = trees.beginningWith(named.toLowerCase())
  if (another === undefined) return turnId
  throw new IrisError('unknown_turn', `More than one turn begins with ${named}.`, 'Give more characters of its id.')
}

/** `what` says that there is none; who may see all turns is told which id may be meant. */
export function unknownTurn(
  what: string,
  named: string,
  remedy: string,
  { caller }: Call,
  { trees }: Domain,
): IrisError {
  const meant = isRestricted(caller.principal) ? '' : meantId(named, trees.latest())
  return new IrisError('unknown_turn', what, `${meant}${remedy}`)
}

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
