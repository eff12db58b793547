import type { Finding } from '../../base/protocol/finding.ts'
import { elicitationHook } from '../../claude/driver/elicitation-hooks.ts'
import { claudePrograms } from '../../kernel/pool/claude-programs.ts'
import { settingsHere } from '../../kernel/pool/settings-files.ts'
import type { CheckContext } from './check-context.ts'

const check = 'elicitation'

/**
 * Finds projects on this machine where permission questions do not appear in an open session, because a hook would
 * answer them.
 */
export async function sessionForms({ config, env }: CheckContext): Promise<readonly Finding[]> {
  if (!config.settings.elicitation) return []
  const teamsBy = new Map<string, string[]>()
  for (const { configDirectory, teams } of await claudePrograms(config, env)) {
    for (const name of teams) {
      const team = config.teams.get(name)!
      const { files } = await settingsHere(team.realPath, configDirectory)
      const path = elicitationHook(files)?.path
      if (path !== undefined) teamsBy.set(path, [...(teamsBy.get(path) ?? []), name])
    }
  }
  return [...teamsBy].map(([path, teams]) => ({
    check,
    state: 'warn',
    detail: `permission questions do not appear in Claude Code (${teams.join(', ')}): a hook named Elicitation in ${path} could answer them automatically`,
    remedy: `Remove the hook, or give it a matcher that does not match "iris". Until then answer with "iris permissions" or on the dashboard.`,
  }))
}
