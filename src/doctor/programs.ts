import { configDirectory, processEnvironment } from '../claude/environment.ts'
import type { TeamConfig } from '../config/config.ts'
import { claudeExecutable, claudeVersion } from '../pool/claude-executable.ts'
import { type IrisError, toIrisError } from '../protocol/error.ts'
import type { Ground } from './ground.ts'

/** What answers for some of the teams: a program, in an environment. */
export interface Program {
  /** Empty where there are no teams yet. */
  readonly teams: readonly string[]
  /** Absolute, or why there is none. */
  readonly executable: string | IrisError
  readonly env: Readonly<Record<string, string>>
  readonly configDirectory: string
}

/** Each program with each environment once. */
export async function programsOf({ config, env: daemon }: Pick<Ground, 'config' | 'env'>): Promise<readonly Program[]> {
  const programs = new Map<string, Program>()
  for (const team of [...config.teams.values(), ...(config.teams.size === 0 ? [undefined] : [])]) {
    const env = environmentOf(team, config.settings, daemon)
    const configured = team?.claudePath ?? config.settings.claudePath
    const executable = await claudeExecutable(configured, env['PATH'] ?? '').catch(toIrisError)
    const key = JSON.stringify([executable, env])
    const teams = [...(programs.get(key)?.teams ?? []), ...(team ? [team.name] : [])]
    programs.set(key, { teams, executable, env, configDirectory: configDirectory(env) })
  }
  return [...programs.values()]
}

type Settings = Ground['config']['settings']

export function environmentOf(team: TeamConfig | undefined, settings: Settings, daemon: Ground['env']) {
  return processEnvironment({ daemon, settings: settings.env, team: team?.env ?? {}, version: undefined })
}

/** Those that can be started, each once, with its version. */
export async function executablesOf(ground: Pick<Ground, 'config' | 'env'>) {
  const paths = (await programsOf(ground)).flatMap(({ executable }) =>
    typeof executable === 'string' ? [executable] : [],
  )
  return Promise.all(
    [...new Set(paths)].map(async (executable) => ({ executable, version: await claudeVersion(executable) })),
  )
}

/** `: frontend, backend`, or nothing where all are meant. */
export function forTeams({ teams }: Program, config: Ground['config']): string {
  return teams.length === config.teams.size ? '' : ` (${teams.join(', ')})`
}
