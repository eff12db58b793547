import { type IrisError, toIrisError } from '../../base/protocol/error.ts'
import { configDirectory, processEnvironment } from '../../claude/driver/environment.ts'
import type { Config, SettingsConfig, TeamConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'
import { claudeExecutable } from './claude-executable.ts'

/** What answers for some of the teams: a program, in an environment. */
export interface ClaudeProgram {
  /** Empty where there are no teams yet. */
  readonly teams: readonly string[]
  /** Absolute, or why there is none. */
  readonly executable: string | IrisError
  readonly env: Readonly<Record<string, string>>
  readonly configDirectory: string
}

/** Each program of this machine with each environment once; what would answer, where there are no teams yet. */
export async function claudePrograms(config: Config, daemon: Environment): Promise<readonly ClaudeProgram[]> {
  const programs = new Map<string, ClaudeProgram>()
  const here = [...config.teams.values()].filter(({ remote }) => remote === undefined)
  for (const team of [...here, ...(config.teams.size === 0 ? [undefined] : [])]) {
    const env = teamEnvironment(team, config.settings, daemon)
    const configured = team?.claudePath ?? config.settings.claudePath
    const executable = await claudeExecutable(configured, env['PATH'] ?? '').catch(toIrisError)
    const key = JSON.stringify([executable, env])
    const teams = [...(programs.get(key)?.teams ?? []), ...(team ? [team.name] : [])]
    programs.set(key, { teams, executable, env, configDirectory: configDirectory(env) })
  }
  return [...programs.values()]
}

/** Those that can be started, each once. */
export async function claudeExecutables(config: Config, daemon: Environment): Promise<readonly string[]> {
  const programs = await claudePrograms(config, daemon)
  return [...new Set(programs.flatMap(({ executable }) => (typeof executable === 'string' ? [executable] : [])))]
}

export function teamEnvironment(team: TeamConfig | undefined, settings: SettingsConfig, daemon: Environment) {
  return processEnvironment({ daemon, settings: settings.env, team: team?.env ?? {}, version: undefined })
}
