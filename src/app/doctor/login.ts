import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { loginAdvice } from '../../kernel/pool/account-login.ts'
import { type ClaudeProgram, claudePrograms } from '../../kernel/pool/claude-programs.ts'
import { managedSettings, settingsHere } from '../../kernel/pool/settings-files.ts'
import { claudeFile } from '../../platform/config/claude-file.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { programVersion } from '../../platform/machine/program-version.ts'
import { type LoginRefusal, lastLoginRefusals } from '../../platform/store/login-refusals.ts'
import type { CheckContext } from './check-context.ts'
import { jsonIn } from './json-in.ts'
import { type Login, type LoginCase, loginOfTeam, managedLogin } from './team-login.ts'

const check = 'login'
/** How long macOS may take to answer, milliseconds: it can ask the person first. */
const keychainMs = 5000

/** Which login each team on this machine has, by files and environment: starts no `claude` and sends no request. */
export async function login(context: CheckContext): Promise<readonly Finding[]> {
  const { config, env } = context
  const programs = await claudePrograms(config, env)
  const found = new Map<string, { readonly finding: Finding; readonly teams: string[] }>()
  const note = ({ state, detail, remedy }: Login, team: string | undefined): void => {
    const finding = { check, state, detail, ...(remedy && { remedy }) }
    const key = JSON.stringify(finding)
    const known = found.get(key) ?? { finding, teams: [] }
    found.set(key, team === undefined ? known : { ...known, teams: [...known.teams, team] })
  }
  for (const program of programs)
    for (const name of program.teams.length === 0 ? [undefined] : program.teams) {
      const loginCase = await loginCaseOf(name === undefined ? undefined : config.teams.get(name), program, context)
      note(await loginOfTeam(loginCase), name)
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

async function loginCaseOf(
  team: TeamConfig | undefined,
  program: ClaudeProgram,
  context: CheckContext,
): Promise<LoginCase> {
  const { config, env } = context
  const { executable, configDirectory } = program
  return {
    team: team ?? { name: '', env: {}, ...(config.settings.account && { account: config.settings.account }) },
    config,
    iris: env,
    inherited: env,
    found: await settingsHere(team?.realPath, configDirectory),
    inFiles: () => loginInFiles(program),
    version: async () => (typeof executable === 'string' ? programVersion(executable) : undefined),
  }
}

/** Teams whose login the API refused for their last message: the files alone do not show whether a login is valid. */
function refusedLogins({ config }: CheckContext): readonly Finding[] {
  return lastRefusals(config.database.path).map(({ team, at, detail }) => ({
    check,
    state: 'fail',
    detail: `the API refused the login of ${team} (api_auth) at ${new Date(at).toISOString()}: ${detail}`,
    remedy: `${loginAdvice(config.teams.get(team)?.account?.tokenFile)} Then ask again: iris tell ${team} "Hello?"`,
  }))
}

function lastRefusals(path: string): readonly LoginRefusal[] {
  try {
    return lastLoginRefusals(path)
  } catch {
    // The check of the store reports what is wrong with it.
    return []
  }
}

async function loginInFiles({ env, configDirectory }: ClaudeProgram): Promise<Login> {
  const oauth = jsonIn(join(configDirectory, '.credentials.json'))['claudeAiOauth']
  if (isRecord(oauth) && oauth['accessToken']) return ofToken(oauth, configDirectory)
  if (jsonIn(claudeFile(env))['primaryApiKey'] || (await isInKeychain()))
    return { state: 'ok', detail: `logged in (${configDirectory})` }
  return {
    state: 'warn',
    detail: `Claude Code seems not to be logged in: ${configDirectory} has no credentials, and no key is set in the environment`,
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
  return teams.length === 0 || teams.length >= config.teams.size ? '' : ` (${teams.join(', ')})`
}
