import { z } from 'zod'
import type { Finding } from '../../base/protocol/finding.ts'
import { SetupProblem } from '../../features/teams/contract.ts'
import { claudePrograms } from '../../kernel/pool/claude-programs.ts'
import { askDaemon } from './ask-daemon.ts'
import { type CheckContext, checkContextOf, type Installation } from './check-context.ts'
import { allowancesIn, type ProjectProblem, setupProblems } from './project-setup.ts'

const check = 'project'
/** For how many projects Claude Code is asked at the same time. */
const atOnce = 3

/**
 * Checks which files and settings of the teams' projects Claude Code ignores, and which servers and plugins of the
 * projects did not start.
 */
export async function project(context: CheckContext): Promise<readonly Finding[]> {
  const teams = new Map<string, { readonly problem: ProjectProblem; readonly names: Set<string> }>()
  const add = (name: string, problem: ProjectProblem): void => {
    const known = teams.get(problem.text) ?? { problem, names: new Set() }
    teams.set(problem.text, known)
    known.names.add(name)
  }
  for (const [name, problems] of [...(await ofProjects(context)), ...(await ofDaemon(context))]) {
    for (const problem of problems) add(name, problem)
  }
  if (teams.size === 0)
    return [{ check, state: 'ok', detail: 'Claude Code ignores nothing of the projects, as far as Iris knows' }]
  return [...teams.values()].map(({ problem, names }) => finding(problem, [...names]))
}

/** The problems of one team's project, as far as its files alone show them. Empty for a team on another machine. */
export async function problemsOf(installation: Installation, team: string): Promise<readonly ProjectProblem[]> {
  const context = await checkContextOf(installation)
  return (await ofProjects(context, [team])).flatMap(([, problems]) => problems)
}

type OfTeam = readonly [team: string, problems: readonly ProjectProblem[]]

async function ofProjects({ config, env }: CheckContext, names?: readonly string[]): Promise<readonly OfTeam[]> {
  const programs = await claudePrograms(config, env)
  const asked = programs.flatMap((program) => {
    // This file has an entry for every project in which Claude Code ever ran, so it is read once for all teams.
    const allowances = allowancesIn(program.env)
    const teams = names === undefined ? program.teams : program.teams.filter((name) => names.includes(name))
    return teams.map((name) => ({ name, program, allowances }))
  })
  const found: OfTeam[] = []
  const askNext = async (): Promise<void> => {
    for (let next = asked.shift(); next !== undefined; next = asked.shift()) {
      found.push([next.name, await setupProblems(config.teams.get(next.name)!, next.program, next.allowances)])
    }
  }
  await Promise.all(Array.from({ length: atOnce }, askNext))
  return found
}

const Status = z.object({
  teams: z.array(
    z.object({
      name: z.string(),
      setup: z.object({ problems: z.array(SetupProblem) }).optional(),
    }),
  ),
})

/**
 * Problems that only the daemon knows, because only its processes start servers and plugins, and read files on other
 * machines.
 */
async function ofDaemon(context: CheckContext): Promise<readonly OfTeam[]> {
  if (context.daemon === undefined) return []
  try {
    const { teams } = Status.parse(await askDaemon(context, '/api/status'))
    return teams.map(({ name, setup }) => {
      // Files on this machine were read just now.
      const isElsewhere = context.config.teams.get(name)?.remote !== undefined
      const isNews = ({ kind }: SetupProblem): boolean => isElsewhere || kind === 'server' || kind === 'plugin'
      return [name, (setup?.problems ?? []).filter(isNews)]
    })
  } catch {
    // Other checks say what is wrong with the daemon.
    return []
  }
}

const remedies: Readonly<Record<ProjectProblem['kind'], string>> = {
  settings: 'Correct the file: until then, Claude Code ignores it.',
  server: 'Run claude in the project: /mcp shows why, and lets you log in.',
  plugin: 'Run claude in the project: /plugin shows why.',
  import: 'Correct the path, or remove it.',
  report: 'Run "iris doctor" again when the machine has less to do. If nothing changes, run claude in the project.',
}

/** If Claude Code ignores a settings file, rules and hooks that people rely on have no effect. */
function finding({ kind, text }: ProjectProblem, teams: readonly string[]): Finding {
  const state = kind === 'settings' ? 'fail' : 'warn'
  return { check, state, detail: `${text} (${teams.join(', ')})`, remedy: remedies[kind] }
}
