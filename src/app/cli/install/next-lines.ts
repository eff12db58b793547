import { realpathSync } from 'node:fs'
import { irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { teamOfDirectory } from '../../../platform/config/team-of-directory.ts'
import type { CommandContext } from '../context.ts'
import { typedCommand } from './own-command.ts'

/** Suggests what to type next, with one of the person's teams; empty without teams. */
export async function nextLines(context: CommandContext): Promise<readonly string[]> {
  const { teams } = await loadConfig({ home: irisHome(context.env), env: context.env })
  const own = teamOfDirectory(teams, realpathSync(context.cwd))?.name
  // A team can also be asked in its own directory, but asking another team demonstrates more.
  const name = [...teams.keys()].find((each) => each !== own) ?? own
  if (name === undefined) return []
  return [
    '',
    'Next, in a terminal:',
    `  ${typedCommand(context)} tell ${name} "What is your project about?"`,
    'or in the Claude Code of any project:',
    `  Ask the ${name} team what its project is about.`,
  ]
}
