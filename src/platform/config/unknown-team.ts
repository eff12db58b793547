import { nearest } from '../../base/lib/nearest.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Config } from './config.ts'

/** How many names the error lists; if there are more teams, the error says how to list all of them. */
const namesShown = 20

/** The error for an unknown team: suggests the nearest name and lists the teams. `others`: the teams of other hosts. */
export function unknownTeam(name: string, { teams }: Pick<Config, 'teams'>, others: readonly string[] = []): IrisError {
  const what = `There is no team "${name}".`
  const names = [...teams.keys(), ...others]
  if (names.length === 0) {
    return new IrisError('unknown_team', what, 'There are no teams yet. Add one with "iris add-team <path>".')
  }
  const meant = nearest(name, names)
  const some = names.slice(0, namesShown).join(', ')
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more: list_teams shows all of them.` : '.'
  return new IrisError(
    'unknown_team',
    what,
    `${meant === undefined ? '' : `Did you mean "${meant}"? `}Teams: ${some}${more}`,
  )
}
