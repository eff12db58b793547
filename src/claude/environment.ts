import { join } from 'node:path'

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

/** A peer's `@/path` must not inline a file: the CLI would do that without asking. */
const fixed = { CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1' }

export function processEnvironment(
  daemon: Environment,
  settings: Environment,
  team: Environment,
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(daemon)) {
    if (value !== undefined && isAllowed(name)) environment[name] = value
  }
  for (const [name, value] of [...Object.entries(settings), ...Object.entries(team)]) {
    if (value !== undefined) environment[name] = value
  }
  return { ...environment, ...fixed }
}

function isAllowed(name: string): boolean {
  return allowedNames.has(name) || allowedPrefixes.some((prefix) => name.startsWith(prefix))
}

/** Where the CLI keeps its files under that environment. */
export function configDirectory(environment: Environment): string {
  return environment['CLAUDE_CONFIG_DIR'] ?? join(environment['HOME'] ?? '/', '.claude')
}
