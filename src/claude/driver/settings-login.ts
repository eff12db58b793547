import { isRecord } from '../../base/lib/is-record.ts'

/** A settings file that Claude Code applies. */
export interface SettingsFile {
  /** For people to read. */
  readonly path: string
  readonly level: SettingsLevel
  readonly text: string
}

/** Whose settings file it is, or which one. Each level takes precedence over the levels before it. */
export type SettingsLevel = 'user' | 'project' | 'local' | 'managed'

/** A key in a settings file. `line` counts from 1. */
export interface SettingsKey {
  readonly name: string
  readonly path: string
  readonly line: number
  readonly level: SettingsLevel
}

/** A variable of `env`, or the setting itself. */
export type Found = SettingsKey & { readonly value: string }

/** Makes the CLI ignore logins and addresses in settings files, because Iris chooses them. */
export const hostChoosesLogin = { CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1' }

/** A helper in a settings file is a login too. Neither `hostChoosesLogin` alone nor the value `null` disables it. */
export const noHelper = { apiKeyHelper: '' }

/**
 * With this, no settings file overrides a variable that the CLI was started with, even if the variable is empty, and
 * even while the CLI is running. Documented nowhere; measured with each key in `test/spec/login-later.test.ts`.
 */
export const startedValuesHold = { CLAUDE_CODE_ENVIRONMENT_KIND: 'byoc' }

const services: readonly string[] = [
  'BEDROCK',
  'VERTEX',
  'FOUNDRY',
  'ANTHROPIC_AWS',
  'ANTHROPIC_GOOGLE_CLOUD',
  'GATEWAY',
  'MANTLE',
].map((service) => `CLAUDE_CODE_USE_${service}`)
/** The logins in the CLI's order of precedence when no cloud service is configured. */
export const logins = ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'apiKeyHelper', 'CLAUDE_CODE_OAUTH_TOKEN'] as const
const socket = 'ANTHROPIC_UNIX_SOCKET'
/** The address to which the login is sent. */
export const addresses = [socket, 'ANTHROPIC_BASE_URL'] as const
/** The same addresses when a cloud service is configured. */
const serviceAddresses: readonly string[] = [
  'ANTHROPIC_BEDROCK_BASE_URL',
  'ANTHROPIC_BEDROCK_MANTLE_BASE_URL',
  'ANTHROPIC_AWS_BASE_URL',
  'ANTHROPIC_VERTEX_BASE_URL',
  'ANTHROPIC_GOOGLE_CLOUD_BASE_URL',
  'ANTHROPIC_FOUNDRY_BASE_URL',
  'ANTHROPIC_FOUNDRY_RESOURCE',
]
/** Messages use the first two. Other requests with the login, such as a query for its limits, may use any of them. */
const proxies: readonly string[] = [
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'npm_config_proxy',
  'npm_config_http_proxy',
  'npm_config_https_proxy',
].flatMap((name) => [name, name.toUpperCase()])
const headers = 'ANTHROPIC_CUSTOM_HEADERS'
/** Variables that name open files from which the CLI reads a login. */
const descriptors: readonly string[] = [
  'CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR',
  'CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR',
]
/** Variables that choose the login of another Anthropic program. */
const profiles: readonly string[] = ['ANTHROPIC_PROFILE', 'ANTHROPIC_CONFIG_DIR']
const ofLogin: ReadonlySet<string> = new Set([
  ...logins,
  ...profiles,
  ...addresses,
  headers,
  ...services,
  ...serviceAddresses,
  ...proxies,
  ...descriptors,
])

/** Variables that choose models. With `hostChoosesLogin`, the CLI ignores them too, although they are not logins. */
const models =
  /^(?:ANTHROPIC_(?:(?:SMALL_FAST_|DEFAULT_([A-Z]+_)?)?MODEL|DEFAULT_[A-Z]+_MODEL_[A-Z_]+|CUSTOM_MODEL_OPTION(?:_[A-Z_]+)?)|CLAUDE_CODE_(?:(?:WORKFLOW_)?SUBAGENT_MODEL|SUBAGENT_MODEL_FORCE|AUTO_MODE_MODEL|BG_CLASSIFIER_MODEL))$/

/**
 * Whether the variable chooses a cloud service for the model. The login of such a service takes precedence over all
 * others.
 */
export function isService(name: string): boolean {
  return services.includes(name)
}

export function isProxy(name: string): boolean {
  return proxies.includes(name)
}

/**
 * A value for each variable that affects the login or the address of a message: the value from `known`, or else a value
 * with which the CLI behaves as if the variable were not set.
 */
export function loginValues(known: (name: string) => string | undefined): Record<string, string> {
  const names = [...ofLogin].filter((name) => name !== 'apiKeyHelper')
  return Object.fromEntries(names.map((name) => [name, known(name) ?? usualValues[name] ?? '']))
}

/** Libraries that agents use would try to use an empty address. */
const usualValues: Readonly<Record<string, string>> = { ANTHROPIC_BASE_URL: 'https://api.anthropic.com' }

/** Whether the value of such a variable must be hidden from other users of the machine, who can read command lines. */
export function isConfidential(name: string, value: string): boolean {
  if (value === '') return false
  return name === headers || logins.some((each) => each === name) || value.includes('@')
}

/** The login and address settings by name, each from the file with the highest precedence. */
export function loginIn(files: readonly SettingsFile[]): ReadonlyMap<string, Found> {
  return found(files, (name) => ofLogin.has(name))
}

/**
 * The variables of settings files that Iris passes to a process, because the CLI ignores them in the files when Iris
 * chooses the login: models, and headers without a login.
 */
export function handedOver(files: readonly SettingsFile[]): Record<string, string> {
  const handed = found(files, (name) => models.test(name) || name === headers)
  const values = [...handed.values()].map(({ name, value }) => [name, name === headers ? withoutLogin(value) : value])
  return Object.fromEntries(values.filter(([, value]) => value !== ''))
}

/** Whether older builds follow the key although Iris chooses the login. */
export function isFollowedByOlder(name: string): boolean {
  return name === socket || name === headers || descriptors.includes(name)
}

/** The keys that redirect a process's login or replace it. */
export function loginTakers(
  files: readonly SettingsFile[],
  isOfKind: (name: string) => boolean,
): readonly SettingsKey[] {
  return [...loginIn(files).values()].filter(
    ({ name, value }) => isOfKind(name) && value !== '' && (name !== headers || withoutLogin(value) !== value.trim()),
  )
}

/** All variables that these files set. */
export function variablesOf(files: readonly SettingsFile[]): Record<string, string> {
  const all = found(files, (name) => name !== 'apiKeyHelper')
  return Object.fromEntries([...all.values()].map(({ name, value }) => [name, value]))
}

/** Headers that give a request another login. */
const loginHeader = /^\s*(?:authorization|x-api-key|proxy-authorization)\s*:/i

function withoutLogin(lines: string): string {
  return lines
    .split('\n')
    .filter((line) => !loginHeader.test(line))
    .join('\n')
    .trim()
}

function found(files: readonly SettingsFile[], isWanted: (name: string) => boolean): ReadonlyMap<string, Found> {
  const all = new Map<string, Found>()
  for (const { path, level, text } of files) {
    const settings = parsed(text)
    const variables = isRecord(settings['env']) ? settings['env'] : {}
    const { apiKeyHelper } = settings
    for (const [name, value] of Object.entries({ ...variables, ...(apiKeyHelper !== undefined && { apiKeyHelper }) })) {
      const said = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
      if (isWanted(name) && typeof said === 'string')
        all.set(name, { name, path, level, line: lineOf(text, name), value: said })
    }
  }
  return all
}

/** Claude Code ignores a file that is not JSON. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** The line of the last key with that name, which takes precedence. Returns 1 if the name is written with escapes. */
function lineOf(text: string, name: string): number {
  const before = text.slice(0, Math.max(0, text.lastIndexOf(`"${name}"`)))
  return before.split('\n').length
}
