import { nearest } from '../../base/lib/nearest.ts'
import { IrisError } from '../../base/protocol/error.ts'
import type { Config } from './config.ts'

/** So many names are read; who has more teams is told where they stand. */
const namesShown = 20

/** What to say of a name that is no team's: the one that may be meant, and which there are. */
export function unknownTeam(name: string, { teams, file }: Pick<Config, 'teams' | 'file'>): IrisError {
  const what = `There is no team "${name}".`
  const names = [...teams.keys()]
  if (names.length === 0) {
    return new IrisError('unknown_team', what, `There are no teams yet: add one under "teams" in ${file}.`)
  }
  const meant = nearest(name, names)
  const some = names.slice(0, namesShown).join(', ')
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more: list_teams names all.` : '.'
  return new IrisError(
    'unknown_team',
    what,
    `${meant === undefined ? '' : `Did you mean "${meant}"? `}Teams: ${some}${more}`,
  )
}
