import { type IrisError, toIrisError } from '../../base/protocol/error.ts'
import { configDirectory, processEnvironment } from '../../claude/driver/environment.ts'
import type { Config, SettingsConfig, TeamConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'
import { claudeExecutable } from './claude-executable.ts'

/** A `claude` program with an environment, and the teams that use it. */
export interface ClaudeProgram {
  /** Empty if no teams are configured. */
  readonly teams: readonly string[]
  /** An absolute path, or the reason why there is none. */
  readonly executable: string | IrisError
  readonly env: Readonly<Record<string, string>>
  readonly configDirectory: string
}

/**
 * Each distinct pair of program and environment on this machine. If there are no teams, the pair that results from the
 * settings.
 */
export async function claudePrograms(config: Config, daemon: Environment): Promise<readonly ClaudeProgram[]> {
  const programs = new Map<string, ClaudeProgram & { readonly teams: string[] }>()
  const here = [...config.teams.values()].filter(({ remote }) => remote === undefined)
  for (const team of [...here, ...(config.teams.size === 0 ? [undefined] : [])]) {
    const env = teamEnvironment(team, config.settings, daemon)
    const configured = team?.claudePath ?? config.settings.claudePath
    const executable = await claudeExecutable(configured, env['PATH'] ?? '').catch(toIrisError)
    const key = JSON.stringify([executable, env])
    const program = programs.get(key) ?? { teams: [], executable, env, configDirectory: configDirectory(env) }
    programs.set(key, program)
    if (team) program.teams.push(team.name)
  }
  return [...programs.values()]
}

/** The paths of all programs that exist, each once. */
export async function claudeExecutables(config: Config, daemon: Environment): Promise<readonly string[]> {
  const programs = await claudePrograms(config, daemon)
  return [...new Set(programs.flatMap(({ executable }) => (typeof executable === 'string' ? [executable] : [])))]
}

export function teamEnvironment(team: TeamConfig | undefined, settings: SettingsConfig, daemon: Environment) {
  return processEnvironment({ daemon, settings: settings.env, team: team?.env ?? {}, version: undefined })
}
