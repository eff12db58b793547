import { IrisError } from '../protocol/error.ts'
import type { Domain } from './call.ts'

/** The whole id of the turn whose id begins so; what is given where none does. Throws where more than one does. */
export function namedTurn(named: string, { trees }: Pick<Domain, 'trees'>): string {
  const [turnId = named, another] = trees.beginningWith(named.toLowerCase())
  if (another === undefined) return turnId
  throw new IrisError('unknown_turn', `More than one turn begins with ${named}.`, 'Give more characters of its id.')
}
