import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { type ClaudeProgram, claudePrograms } from '../../core/pool/claude-programs.ts'
import { claudeFile } from '../../platform/config/claude-file.ts'
import type { CheckContext } from './check-context.ts'
import { jsonIn } from './json-in.ts'

const keyVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']
const keychainMs = 5000
const storeMs = 250

/** Whether Claude Code has credentials, by its files and its environment: starts no `claude` and sends no request. */
export async function login(context: CheckContext): Promise<readonly Finding[]> {
  const findings = new Map<string, Finding>()
  for (const program of await claudePrograms(context.config, context.env)) {
    const { state, detail, remedy } = await loginOf(program)
    const finding = {
      check: 'login',
      state,
      detail: `${detail}${forTeams(program, context.config)}`,
      ...(remedy && { remedy }),
    }
    findings.set(finding.detail, finding)
  }
  return [...findings.values(), ...refusedLogins(context)]
}

/** Teams for whose last message the API refused the login: the files alone do not show whether a login is valid. */
function refusedLogins({ config }: CheckContext): readonly Finding[] {
  return lastRefusals(config.database.path).map(({ team, at, detail }) => ({
    check: 'login',
    state: 'fail',
    detail: `the API refused the login of ${team} (api_auth) at ${new Date(at).toISOString()}: ${detail}`,
    remedy: `claude (then /login), then ask again: iris tell ${team} "Hello?"`,
  }))
}

function lastRefusals(path: string) {
  try {
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

type Login = Pick<Finding, 'state' | 'detail' | 'remedy'>

async function loginOf({ env, configDirectory }: ClaudeProgram): Promise<Login> {
  const settings = jsonIn(join(configDirectory, 'settings.json'))
  const all = { ...(isRecord(settings['env']) ? settings['env'] : {}), ...env }
  const given =
    keyVariables.find((name) => all[name]) ??
    Object.keys(all).find((name) => name.startsWith('CLAUDE_CODE_USE_') && all[name])
  if (given !== undefined) return { state: 'ok', detail: `by ${given}` }
  if (settings['apiKeyHelper']) return { state: 'ok', detail: 'by the apiKeyHelper of your settings' }
  const oauth = jsonIn(join(configDirectory, '.credentials.json'))['claudeAiOauth']
  if (isRecord(oauth) && oauth['accessToken']) return ofToken(oauth)
  if (jsonIn(claudeFile(env))['primaryApiKey'] || (await isInKeychain())) return { state: 'ok', detail: 'logged in' }
  return {
    state: 'warn',
    detail: `Claude Code seems not to be logged in: ${configDirectory} has no credentials, the environment no key`,
    remedy: 'claude (then /login), or set ANTHROPIC_API_KEY under settings.env of config.yaml',
  }
}

function ofToken({ expiresAt, refreshToken }: Readonly<Record<string, unknown>>): Login {
  const isOver = typeof expiresAt === 'number' && expiresAt < Date.now()
  if (!isOver || refreshToken) return { state: 'ok', detail: 'logged in' }
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
function forTeams({ teams }: ClaudeProgram, config: CheckContext['config']): string {
  return teams.length === config.teams.size ? '' : ` (${teams.join(', ')})`
}
