import { IrisError } from '../../../base/protocol/error.ts'
import { call } from '../call.ts'
import type { CommandContext } from '../context.ts'
import { chooseByTyping } from '../prompt.ts'
import { teamHere } from './speaker.ts'

export async function teamNames(context: CommandContext): Promise<readonly string[]> {
  return (await call(context, 'list_teams', {})).teams.map(({ name }) => name)
}

/** Puts the team of the directory last: the first one is chosen already, and people rarely ask their own team. */
export function lastOf<Team extends { readonly value: string }>(
  teams: readonly Team[],
  own: string | undefined,
): readonly Team[] {
  return [...teams.filter(({ value }) => value !== own), ...teams.filter(({ value }) => value === own)]
}

/**
 * The team that a person picks at the terminal; undefined when they left. Throws `invalid_input` without a terminal,
 * and `unknown_team` without teams.
 */
export async function chosenTeam(context: CommandContext): Promise<string | undefined> {
  if (!context.isInteractive) {
    throw new IrisError('invalid_input', 'No team was named.', 'Add it: iris tell <team> <message>.')
  }
  const { teams } = await call(context, 'list_teams', {})
  if (teams.length === 0) throw new IrisError('unknown_team', 'There are no teams yet.', 'Run "iris add-team <path>".')
  const choices = teams.map(({ name, config }) => ({ value: name, label: name, hint: config.description ?? '' }))
  return chooseByTyping(context, 'Which team?', lastOf(choices, await teamHere(context)))
}
