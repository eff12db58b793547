import { join } from 'node:path'
import { fileMentionsSince, isSince } from './claude-version.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * What a process may know of the daemon's environment, by name. Everything else stays out: secrets of the shell, and
 * what a console gave the daemon (`CLAUDECODE`, `CLAUDE_CODE_SESSION_ID`, `CLAUDE_PROJECT_DIR`, …).
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
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
  'CLAUDE_CODE_SKIP_BEDROCK_AUTH',
  'CLAUDE_CODE_SKIP_VERTEX_AUTH',
  'CLOUD_ML_REGION',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'DISABLE_AUTOUPDATER',
  'DISABLE_TELEMETRY',
  'DISABLE_ERROR_REPORTING',
])
const allowedPrefixes = ['LC_', 'ANTHROPIC_', 'CLAUDE_CODE_USE_', 'CLAUDE_CODE_MAX_', 'AWS_', 'VERTEX_REGION_']

/**
 * A peer's `@/path` must not inline a file, which the CLI does without asking. Older builds can only leave out every
 * attachment, their own reminders among them.
 */
function withoutFileMentions(version: string | undefined): Record<string, string> {
  const mentions = { CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1' }
  return isSince(version, fileMentionsSince) ? mentions : { ...mentions, CLAUDE_CODE_DISABLE_ATTACHMENTS: '1' }
}

/** Says when nothing goes on in the session any more: the last `result` is not always the last word. */
const stateEvents = { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' }

export interface EnvironmentLayers {
  /** The daemon's own: only what is allowed by name. */
  readonly daemon: Environment
  /** `settings.env` and `team.env`, whole; the team's wins. */
  readonly settings: Environment
  readonly team: Environment
  /** Of the CLI, when it is known. */
  readonly version: string | undefined
}

export function processEnvironment({ daemon, settings, team, version }: EnvironmentLayers): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(daemon)) {
    if (value !== undefined && isAllowed(name)) environment[name] = value
  }
  for (const [name, value] of [...Object.entries(settings), ...Object.entries(team)]) {
    if (value !== undefined) environment[name] = value
  }
  return { ...environment, ...withoutFileMentions(version), ...stateEvents }
}

function isAllowed(name: string): boolean {
  return allowedNames.has(name) || allowedPrefixes.some((prefix) => name.startsWith(prefix))
}

/** Where the CLI keeps its files under that environment. */
export function configDirectory(environment: Environment): string {
  return environment['CLAUDE_CONFIG_DIR'] ?? join(environment['HOME'] ?? '/', '.claude')
}
