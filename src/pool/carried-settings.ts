import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/config.ts'
import { workingTeam } from '../config/former-teams.ts'
import type { Slot } from './slot.ts'

/** Whether the configuration says something else by now about what a process has from its start. */
export function isOutdated({ config, session: { to } }: Pick<Slot, 'config' | 'session'>, now: Config): boolean {
  return config !== now && !isDeepStrictEqual(carriedSettings(config, to), carriedSettings(now, to))
}

/** What a process has from its start until its end. */
function carriedSettings(config: Config, name: string): unknown {
  const { settings } = config
  const team = workingTeam(config, name)
  if (team === undefined) return undefined
  const { realPath, model, allowedTools, disallowedTools, appendSystemPrompt, mcpServers } = team
  return {
    ...{ realPath, model, allowedTools, disallowedTools, appendSystemPrompt, mcpServers },
    isolation: team.isolation ?? settings.isolation,
    sessionMcpEnabled: team.sessionMcpEnabled ?? settings.sessionMcpEnabled,
    sessionMcpPath: team.sessionMcpPath ?? settings.sessionMcpPath,
    claudePath: team.claudePath ?? settings.claudePath,
    env: { ...settings.env, ...team.env },
  }
}
