import { isDeepStrictEqual } from 'node:util'
import type { AgentProcess } from '../../base/agent/process.ts'
import type { Config } from '../../platform/config/config.ts'
import { workingTeam } from '../../platform/config/former-teams.ts'
import { runsSkillCommands } from '../../platform/config/mode-with-role.ts'
import type { Seams } from '../session/seams.ts'
import { roleOfSession } from '../session/session-role.ts'
import type { Slot } from './slot.ts'

/**
 * Whether a process has anything that no longer applies: settings from its start, rules that it did not give up, or a
 * token that was refused.
 */
export function isOutdated({ config, session, process }: Known, now: Now): boolean {
  if (process?.rules.isStale) return true
  if (process && process.startedAt <= (now.seams.accounts.refusedAt(session.to) ?? Number.NEGATIVE_INFINITY))
    return true
  return isOfOtherSettings({ config, session }, now.config())
}

function isOfOtherSettings({ config, session }: Pick<Known, 'config' | 'session'>, now: Config): boolean {
  return config !== now && !isDeepStrictEqual(carriedSettings(config, session), carriedSettings(now, session))
}

type Known = Pick<Slot, 'config' | 'session'> & {
  readonly process: Pick<AgentProcess, 'rules' | 'startedAt'> | undefined
}
type Now = { readonly config: () => Config; readonly seams: Pick<Seams, 'accounts'> }

/** The settings that a process keeps from start to end. */
function carriedSettings(config: Config, session: Known['session']): unknown {
  const { settings } = config
  const team = workingTeam(config, session.to)
  if (team === undefined) return undefined
  const role = roleOfSession(session, config)
  const { remote, remoteOptions, realPath, model, allowedTools, disallowedTools, appendSystemPrompt, mcpServers } = team
  return {
    remote,
    remoteOptions,
    realPath,
    model,
    allowedTools,
    disallowedTools,
    appendSystemPrompt,
    mcpServers,
    isolation: team.isolation ?? settings.isolation,
    enableReverseMcp: team.enableReverseMcp,
    sessionMcpEnabled: team.sessionMcpEnabled ?? settings.sessionMcpEnabled,
    sessionMcpPath: team.sessionMcpPath ?? settings.sessionMcpPath,
    claudePath: team.claudePath ?? settings.claudePath,
    env: { ...settings.env, ...team.env },
    account: team.account,
    telemetry: config.insight.claudeTelemetry && config.insight.tracesTo !== undefined,
    role,
    skillCommands: runsSkillCommands(role, team.grantPermission),
  }
}
