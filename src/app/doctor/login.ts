import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { loginAdvice } from '../../kernel/pool/account-login.ts'
import { type ClaudeProgram, claudePrograms } from '../../kernel/pool/claude-programs.ts'
import { managedSettings, settingsHere } from '../../kernel/pool/settings-files.ts'
import { claudeFile } from '../../platform/config/claude-file.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { programVersion } from '../../platform/machine/program-version.ts'
import { refuseOtherThanFile } from '../../platform/store/plain-store.ts'
import type { CheckContext } from './check-context.ts'
import { jsonIn } from './json-in.ts'
import { type Login, type LoginCase, loginOfTeam, managedLogin } from './team-login.ts'

const check = 'login'
const keychainMs = 5000
const storeMs = 250

/** Which login each team on this machine has, by files and environment: starts no `claude` and sends no request. */
export async function login(context: CheckContext): Promise<readonly Finding[]> {
  const { config, env } = context
  const programs = await claudePrograms(config, env)
  const found = new Map<string, { readonly finding: Finding; readonly teams: string[] }>()
  const note = ({ state, detail, remedy }: Login, team: string): void => {
    const finding = { check, state, detail, ...(remedy && { remedy }) }
    const key = JSON.stringify(finding)
    const known = found.get(key) ?? { finding, teams: [] }
    found.set(key, { ...known, teams: [...known.teams, team] })
  }
  for (const program of programs)
    for (const name of program.teams.length === 0 ? [''] : program.teams) {
      const its = await caseOf(config.teams.get(name), program, context)
      note(await loginOfTeam(its), name)
    }
  const managed = managedLogin((await managedSettings()).files)
  return [
    ...[...found.values()].map(({ finding, teams }) => ({
      ...finding,
      detail: `${finding.detail}${forTeams(teams, config)}`,
    })),
    ...(managed ? [{ check, ...managed }] : []),
    ...refusedLogins(context),
  ]
}

async function caseOf(team: TeamConfig | undefined, program: ClaudeProgram, context: CheckContext): Promise<LoginCase> {
  const { config, env } = context
  const { executable, configDirectory } = program
  return {
    team: team ?? { name: '', env: {}, ...(config.settings.account && { account: config.settings.account }) },
    config,
    iris: env,
    inherited: env,
    found: await settingsHere(team?.realPath, configDirectory),
    inFiles: () => inFiles(program),
    version: async () => (typeof executable === 'string' ? programVersion(executable) : undefined),
  }
}

/** Teams for whose last message the API refused the login: the files alone do not show whether a login is valid. */
function refusedLogins({ config }: CheckContext): readonly Finding[] {
  return lastRefusals(config.database.path).map(({ team, at, detail }) => ({
    check,
    state: 'fail',
    detail: `the API refused the login of ${team} (api_auth) at ${new Date(at).toISOString()}: ${detail}`,
    remedy: `${loginAdvice(config.teams.get(team)?.account?.tokenFile)} Then ask again: iris tell ${team} "Hello?"`,
  }))
}

function lastRefusals(path: string) {
  try {
    refuseOtherThanFile(path)
    using database = new DatabaseSync(path, { readOnly: true, timeout: storeMs })
    const rows = database.prepare(
      `SELECT team, at, detail FROM (
         SELECT team_sessions.to_team AS team, max(settled_at) AS at, reason, detail
         FROM turns JOIN team_sessions ON team_sessions.id = turns.session
         WHERE outcome = 'completed' OR reason = 'api_auth' GROUP BY to_team
       ) WHERE reason = 'api_auth' ORDER BY team`,
    )
    return rows
      .all()
      .map(({ team, at, detail }) => ({ team: String(team), at: Number(at), detail: String(detail ?? '') }))
  } catch {
    // The check of the store reports what is wrong with it.
    return []
  }
}

async function inFiles({ env, configDirectory }: ClaudeProgram): Promise<Login> {
  const oauth = jsonIn(join(configDirectory, '.credentials.json'))['claudeAiOauth']
  if (isRecord(oauth) && oauth['accessToken']) return ofToken(oauth, configDirectory)
  if (jsonIn(claudeFile(env))['primaryApiKey'] || (await isInKeychain()))
    return { state: 'ok', detail: `logged in (${configDirectory})` }
  return {
    state: 'warn',
    detail: `Claude Code seems not to be logged in: ${configDirectory} has no credentials, the environment no key`,
    remedy: 'claude (then /login), or set ANTHROPIC_API_KEY under settings.env of config.yaml',
  }
}

function ofToken({ expiresAt, refreshToken }: Readonly<Record<string, unknown>>, directory: string): Login {
  const isOver = typeof expiresAt === 'number' && expiresAt < Date.now()
  if (!isOver || refreshToken) return { state: 'ok', detail: `logged in (${directory})` }
  return { state: 'warn', detail: 'the login of Claude Code has expired', remedy: 'claude (then /login)' }
}

/** On macOS: asks whether there is an entry, not for its content. */
function isInKeychain(): Promise<boolean> {
  if (process.platform !== 'darwin') return Promise.resolve(false)
  return new Promise((resolve) => {
    const words = ['find-generic-password', '-s', 'Claude Code-credentials']
    execFile('security', words, { timeout: keychainMs }, (error) => resolve(error === null))
  })
}

/** ` (frontend, backend)`, or empty when it concerns all teams. */
function forTeams(teams: readonly string[], config: CheckContext['config']): string {
  return teams.length >= config.teams.size ? '' : ` (${teams.join(', ')})`
}
