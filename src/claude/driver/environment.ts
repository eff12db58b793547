import { join } from 'node:path'
import { fileMentionsSince, isSince, longerStateSince } from './claude-version.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The variables that a process inherits from the daemon. Everything else stays out: secrets of the shell, and variables
 * of the console that started the daemon (`CLAUDECODE`, `CLAUDE_CODE_SESSION_ID`, `CLAUDE_PROJECT_DIR`, …).
 */
const allowedNames = new Set([
  'HOME',
  'PATH',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_USE_SYSTEM_CA',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'CLAUDE_CODE_CERT_STORE',
  'CLAUDE_CODE_CLIENT_CERT',
  'CLAUDE_CODE_CLIENT_KEY',
  'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE',
  'CLAUDE_CODE_PROXY_RESOLVES_HOSTS',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_API_KEY_HELPER_TTL_MS',
  'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
  'CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH',
  'CLAUDE_CODE_SKIP_BEDROCK_AUTH',
  'CLAUDE_CODE_SKIP_FOUNDRY_AUTH',
  'CLAUDE_CODE_SKIP_MANTLE_AUTH',
  'CLAUDE_CODE_SKIP_VERTEX_AUTH',
  'CLOUD_ML_REGION',
  'CLOUDSDK_CONFIG',
  'GCLOUD_PROJECT',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_CLOUD_PROJECT',
  'GOOGLE_CLOUD_QUOTA_PROJECT',
  'DISABLE_AUTOUPDATER',
  'DISABLE_TELEMETRY',
  'DISABLE_ERROR_REPORTING',
])
const allowedPrefixes = [
  'LC_',
  'ANTHROPIC_',
  'CLAUDE_CODE_USE_',
  'CLAUDE_CODE_MAX_',
  'AWS_',
  'AZURE_',
  'VERTEX_REGION_',
]

/**
 * The CLI inlines the file of an `@/path` in a message without asking; a message from another team must not do that.
 * Older builds can only turn off all attachments, their own reminders included.
 */
function withoutFileMentions(version: string | undefined): Record<string, string> {
  const mentions = { CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1' }
  return isSince(version, fileMentionsSince) ? mentions : { ...mentions, CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' }
}

/**
 * Newer builds keep the shell's directory from one message to the next, so one asker would change where another's
 * commands run. With this variable every command begins in the project, and the CLI tells the model so. A team can
 * switch it off.
 */
function withoutMoving(version: string | undefined): Record<string, string> {
  return isSince(version, longerStateSince) ? { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: '1' } : {}
}

/** With this, the CLI announces when the session is idle: the last `result` is not always the end. */
const stateEvents = { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' }

/**
 * Turns off two modes of the CLI. The first would make the CLI ask no hook before a tool, so Iris could neither judge
 * nor record the tool. The second would let commands in a skill's text, and a tool other than Bash, run in PowerShell,
 * where rules for Bash do not apply. `~/.claude.json` (2.1.330) and settings files can set these variables, so both are
 * also passed in `--settings`, which takes precedence.
 */
export const underRules = { CLAUDE_CODE_SIMPLE: '0', CLAUDE_CODE_USE_POWERSHELL_TOOL: '0' }

export interface EnvironmentLayers {
  /** The daemon's own environment: only allowed names are inherited. */
  readonly daemon: Environment
  /** All variables of `settings.env` and of the team's `env`, which takes precedence. */
  readonly settings: Environment
  readonly team: Environment
  /** Version of the CLI; undefined if unknown. */
  readonly version: string | undefined
}

export function processEnvironment({ daemon, settings, team, version }: EnvironmentLayers): Record<string, string> {
  const environment: Record<string, string> = withoutMoving(version)
  for (const [name, value] of Object.entries(daemon)) {
    if (value !== undefined && isAllowed(name)) environment[name] = value
  }
  for (const layer of [settings, team]) addLayer(environment, layer)
  return {
    ...environment,
    ...noProxyHere([environment]),
    ...withoutFileMentions(version),
    ...stateEvents,
    ...underRules,
  }
}

/**
 * Programs read the proxy variables in lower or upper case, so a layer that sets one spelling removes the other
 * spelling from earlier layers.
 */
function addLayer(environment: Record<string, string>, layer: Environment): void {
  const said = Object.entries(layer).filter((entry): entry is [string, string] => entry[1] !== undefined)
  for (const [name] of said)
    if (/^(?:https?|all|no)_proxy$/i.test(name))
      for (const other of [name.toLowerCase(), name.toUpperCase()]) delete environment[other]
  Object.assign(environment, Object.fromEntries(said))
}

const here = ['127.0.0.1', 'localhost', '::1']

export const noProxyNames = ['NO_PROXY', 'no_proxy'] as const

/** Whether a list of hosts without a proxy includes this machine. */
export function reachesHere(list: string): boolean {
  return list.split(',').some((each) => each.trim() === '127.0.0.1' || each.trim() === '*')
}

/**
 * The session's tools are on this machine: a proxy would read the session's token, and most proxies refuse such an
 * address. Some programs read one of the two names and some the other, so both variables get all the hosts that either
 * one has in any of these environments. Set even without a proxy, because a file of the project may name one.
 */
export function noProxyHere(environments: readonly Environment[]): Record<'NO_PROXY' | 'no_proxy', string> {
  const lists = environments.flatMap((each) => noProxyNames.map((name) => each[name]))
  const named = lists.flatMap((list) => list?.split(',') ?? [])
  const all = new Set([...named.map((each) => each.trim()).filter(Boolean), ...here])
  const list = [...all].join(',')
  return { NO_PROXY: list, no_proxy: list }
}

function isAllowed(name: string): boolean {
  return allowedNames.has(name) || allowedPrefixes.some((prefix) => name.startsWith(prefix))
}

/** The directory where the CLI keeps its files in that environment. */
export function configDirectory(environment: Environment): string {
  return environment['CLAUDE_CONFIG_DIR'] ?? join(environment['HOME'] ?? '/', '.claude')
}
