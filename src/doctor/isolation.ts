import type { TeamConfig } from '../config/config.ts'
import { systemClock } from '../lib/clock.ts'
import { LocalSystem } from '../machine/local-system.ts'
import { claudeExecutable } from '../pool/claude-executable.ts'
import { teamEnvironment } from '../pool/claude-programs.ts'
import { Isolations } from '../pool/isolation.ts'
import type { Finding } from '../protocol/finding.ts'
import type { Ground } from './ground.ts'

const check = 'isolation'

/** One for each kind of promise that the teams have been given. */
export async function isolation(ground: Ground): Promise<readonly Finding[]> {
  const { config, env } = ground
  const isolations = new Isolations({
    config: () => config,
    system: new LocalSystem(systemClock, { path: env['PATH'] ?? '' }),
    environment: env,
  })
  const promises = new Map<string, { finding: Finding; teams: string[] }>()
  for (const team of config.teams.values()) {
    const finding = await isolationOf(team, ground, isolations)
    const known = promises.get(finding.detail) ?? { finding, teams: [] }
    known.teams.push(team.name)
    promises.set(finding.detail, known)
  }
  return [...promises.values()].map(({ finding, teams }) => ({
    ...finding,
    detail: `${finding.detail} (${teams.join(', ')})`,
  }))
}

async function isolationOf(team: TeamConfig, ground: Ground, isolations: Isolations): Promise<Finding> {
  const { settings } = ground.config
  const env = teamEnvironment(team, settings, ground.env)
  const executable = await claudeExecutable(team.claudePath ?? settings.claudePath, env['PATH'] ?? '').catch(() => '/')
  const { level, holds, detail } = await isolations.of(team, { executable, env })
  if (holds) return { check, state: 'ok', detail }
  const remedies = {
    home: 'See docs/guide/isolation.md for what an agent can read then.',
    sandbox: 'Install bubblewrap (Debian and Ubuntu: apt install bubblewrap), or set isolation: home.',
    none: 'Take isolation: none out of config.yaml if that is not meant.',
  }
  return { check, state: level === 'sandbox' ? 'fail' : 'warn', detail, remedy: remedies[level] }
}
