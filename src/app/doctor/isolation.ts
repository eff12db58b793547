import { join } from 'node:path'
import { systemClock } from '../../base/lib/clock.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { configDirectory } from '../../claude/driver/environment.ts'
import { projectSlug } from '../../claude/driver/project-slug.ts'
import { claudeExecutable } from '../../kernel/pool/claude-executable.ts'
import { teamEnvironment } from '../../kernel/pool/claude-programs.ts'
import { Isolations } from '../../kernel/pool/isolation.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { LocalSystem } from '../../platform/machine/local-system.ts'
import type { CheckContext } from './check-context.ts'

const check = 'isolation'

/** One finding for each kind of isolation that teams have. */
export async function isolation(context: CheckContext): Promise<readonly Finding[]> {
  const { config, env } = context
  const isolations = new Isolations({
    config: () => config,
    system: new LocalSystem(systemClock, { path: env['PATH'] ?? '' }),
    environment: env,
  })
  const promises = new Map<string, { finding: Finding; teams: string[] }>()
  for (const team of teamsHere(config)) {
    const finding = await isolationOf(team, context, isolations)
    const known = promises.get(finding.detail) ?? { finding, teams: [] }
    known.teams.push(team.name)
    promises.set(finding.detail, known)
  }
  const findings = [...promises.values()].map(({ finding, teams }) => ({
    ...finding,
    detail: `${finding.detail} (${teams.join(', ')})`,
  }))
  return [...findings, ...sharedConversations(context)]
}

/** For `shop.api`, `shop-api` and `shop/api`, Claude Code uses the same directory name. */
function sharedConversations({ config, env }: CheckContext): Finding[] {
  const teams = Map.groupBy(teamsHere(config), (team) =>
    join(configDirectory(teamEnvironment(team, config.settings, env)), projectSlug(team.realPath)),
  )
  const several = [...teams.values()].filter(({ length }) => length > 1)
  return several.map((sharing) => ({
    check,
    state: 'warn',
    detail: `Claude Code keeps the conversations of these teams in one directory, so that each can read the other's: ${sharing.map(({ name }) => name).join(', ')}`,
    remedy: 'Rename one of the directories so that they differ in letters or digits.',
  }))
}

/** The teams on this machine; the check `hosts` covers the others. */
function teamsHere({ teams }: CheckContext['config']): readonly TeamConfig[] {
  return [...teams.values()].filter(({ remote }) => remote === undefined)
}

async function isolationOf(team: TeamConfig, context: CheckContext, isolations: Isolations): Promise<Finding> {
  const { settings } = context.config
  const env = teamEnvironment(team, settings, context.env)
  const executable = await claudeExecutable(team.claudePath ?? settings.claudePath, env['PATH'] ?? '').catch(() => '/')
  const { level, holds, detail } = await isolations.of(team, { executable, env })
  if (holds) return { check, state: 'ok', detail }
  const remedies = {
    home: 'See docs/guide/isolation.md for what an agent can read then.',
    sandbox: 'Install bubblewrap (Debian and Ubuntu: apt install bubblewrap), or set isolation: home.',
    none: 'Remove isolation: none from config.yaml if you do not want that.',
  }
  return { check, state: level === 'sandbox' ? 'fail' : 'warn', detail, remedy: remedies[level] }
}
