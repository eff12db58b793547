import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/config.ts'
import { workingTeam } from '../config/former-teams.ts'

/** Whether a process of that team, started under one configuration, is as it would be under the other. */
export function carryTheSame(one: Config, other: Config, team: string): boolean {
  return one === other || isDeepStrictEqual(carriedSettings(one, team), carriedSettings(other, team))
}

/** What a process has from its start until its end. */
function carriedSettings(config: Config, name: string): unknown {
  const { settings } = config
  const team = workingTeam(config, name)
  if (team === undefined) return undefined
  const { realPath, model, allowedTools, disallowedTools, appendSystemPrompt, mcpServers } = team
  return {
    ...{ realPath, model, allowedTools, disallowedTools, appendSystemPrompt, mcpServers },
    claudePath: team.claudePath ?? settings.claudePath,
    env: { ...settings.env, ...team.env },
  }
}
