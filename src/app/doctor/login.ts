import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { isRecord } from '../../base/lib/is-record.ts'
import type { Finding } from '../../base/protocol/finding.ts'
import { type ClaudeProgram, claudePrograms } from '../../core/pool/claude-programs.ts'
import { claudeFile } from '../../platform/config/claude-file.ts'
import type { CheckContext } from './check-context.ts'
import { jsonIn } from './json-in.ts'

const keyVariables = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']
const keychainMs = 5000

/** Whether Claude Code has something to log in with, by its own files: nothing is started, and nobody is asked. */
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
  return [...findings.values()]
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

/** macOS. Asks whether there is an entry, not what is in it. */
function isInKeychain(): Promise<boolean> {
  if (process.platform !== 'darwin') return Promise.resolve(false)
  return new Promise((resolve) => {
    const words = ['find-generic-password', '-s', 'Claude Code-credentials']
    execFile('security', words, { timeout: keychainMs }, (error) => resolve(error === null))
  })
}

/** ` (frontend, backend)`, or nothing where all teams are meant. */
function forTeams({ teams }: ClaudeProgram, config: CheckContext['config']): string {
  return teams.length === config.teams.size ? '' : ` (${teams.join(', ')})`
}
