import type { Finding } from '../../base/protocol/finding.ts'
import {
  addresses,
  isProxy,
  isService,
  loginIn,
  logins,
  type SettingsFile,
  type SettingsKey,
} from '../../claude/driver/settings-login.ts'
import { loginAdvice } from '../../kernel/pool/account-login.ts'
import { takersOf, wouldBeTaken } from '../../kernel/pool/own-login.ts'
import type { SettingsFiles } from '../../kernel/pool/settings-files.ts'
import { channelToken } from '../../platform/config/channel-token.ts'
import type { Config, TeamConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'

export type Login = Pick<Finding, 'state' | 'detail' | 'remedy'>

/** What decides about the login of a team. */
export interface LoginCase {
  /** Has no name and no environment of its own when no team is configured. */
  readonly team: Pick<TeamConfig, 'name' | 'env' | 'account'>
  readonly config: Config
  /** Iris's environment, in which the path of a token file is resolved. */
  readonly iris: Environment
  /** The environment that processes inherit: that of Iris, or of a login on another machine. */
  readonly inherited: Environment
  readonly found: SettingsFiles
  /** The login in the files of Claude Code's directory. */
  readonly inFiles: () => Promise<Login>
  readonly version: () => Promise<string | undefined>
}

/** Which login a team's processes have, where it comes from, and to which address it is sent. */
export async function loginOfTeam(its: LoginCase): Promise<Login> {
  const { team, found } = its
  if (team.account === undefined) return loginFound(its, found.files)
  if (takersOf(team, found, undefined).length > 0) {
    const version = await its.version()
    const [taker] = takersOf(team, found, version)
    if (taker !== undefined) {
      const { message: detail, remedy } = wouldBeTaken(team, taker, version)
      return { state: 'fail', detail, remedy }
    }
  }
  const isOwn = ({ level }: SettingsFile): boolean => level === 'user' && team.account?.tokenFile === undefined
  const login = await loginOfAccount(its, found.files.filter(isOwn))
  const ignored = ignoredIn(found.files.filter((file) => !isOwn(file)))
  if (login.state !== 'ok' || ignored.length === 0) return login
  const detail = `${login.detail}; not used: ${ignored.map((key) => `${key.name} in ${placeOf(key)}`).join(', ')}`
  const proxy = ignored.find(({ name, level }) => isProxy(name) && level === 'user')
  if (proxy === undefined) return { state: 'ok', detail }
  const remedy = `If the API is behind that proxy, set ${proxy.name} under settings.env of config.yaml.`
  return { state: 'warn', detail, remedy }
}

async function loginOfAccount(its: LoginCase, own: readonly SettingsFile[]): Promise<Login> {
  const { tokenFile, configDirectory } = its.team.account ?? {}
  const source = 'account of config.yaml'
  const managed = its.found.files.filter(({ level }) => level === 'managed')
  const instead = [...loginIn(managed).values()].find(
    ({ name }) => isService(name) || logins.some((one) => one === name),
  )
  if (instead !== undefined) {
    const detail = `by ${instead.name} in ${placeOf(instead)} (managed settings), and not by the ${source}`
    return { state: 'warn', detail, remedy: askManager }
  }
  if (tokenFile === undefined) {
    const login = await loginFound(its, own)
    const remedy = login.remedy && `CLAUDE_CONFIG_DIR=${configDirectory} claude (then /login)`
    return { ...login, detail: `${login.detail} (${source})`, ...(remedy && { remedy }) }
  }
  const read = await channelToken({ tokenFile }, its.config.home, its.iris)
  if ('problem' in read) {
    const detail = `the ${source} cannot be used: ${read.problem}`
    return { state: 'fail', detail, remedy: `${loginAdvice(tokenFile)} Only you may read it.` }
  }
  return { state: 'ok', detail: `by the token in ${tokenFile} (${source})${addressText(sources(its, managed))}` }
}

const ofTeam = 'in env of the team in config.yaml'

interface Source {
  readonly name: string
  readonly value: string
  /** Where the value comes from, for people to read. */
  readonly from: string
  /** Whether a settings file of Claude Code sets it. */
  readonly isOfFile: boolean
  /** Whether anyone who can write in the project decides its value. */
  readonly isOfProject: boolean
}

/** The login that Claude Code finds in its environment, in these settings files, and in its own files. */
async function loginFound(its: LoginCase, files: readonly SettingsFile[]): Promise<Login> {
  const all = sources(its, files)
  const login = [...all.values()].find(({ name }) => isService(name)) ?? firstOf(all, logins)
  const address = addressText(all)
  const known = login ? { state: 'ok' as const, detail: `by ${login.name} ${login.from}` } : await its.inFiles()
  const found = { ...known, detail: `${known.detail}${known.state === 'ok' ? address : ''}` }
  const goesTo = firstOf(all, addresses)
  const unused = login && unusedOfTeam(its, login)
  if (login && unused !== undefined) {
    const detail = `${found.detail}: it takes precedence over ${unused} in the team's env, which is not used`
    const remedy = login.isOfFile
      ? 'Give the team an account in config.yaml'
      : `Set ${login.name}: "" in env of the team`
    return { state: 'warn', detail, remedy: `${remedy}, or remove ${unused} there.` }
  }
  if (found.state !== 'ok' || login?.isOfProject || !goesTo?.isOfProject) return found
  const remedy = `If ${goesTo.name} is not yours, remove it there, or give the team an account in config.yaml.`
  return { state: 'warn', detail: `${found.detail}: a file of the project chooses where your login goes`, remedy }
}

/**
 * The login that the team's own `env` names, if the process uses another one because Claude Code has its own order of
 * precedence.
 */
function unusedOfTeam({ team }: LoginCase, { name, from }: Source): string | undefined {
  if (team.account !== undefined || from === ofTeam) return undefined
  return logins.find((own) => own !== name && team.env[own])
}

function sources({ inherited, config, team }: LoginCase, files: readonly SettingsFile[]): ReadonlyMap<string, Source> {
  const layers = [
    [inherited, 'of the environment'],
    [config.settings.env, 'in settings.env of config.yaml'],
    [team.env, ofTeam],
  ] as const
  const all = new Map<string, Source>()
  for (const [layer, from] of layers)
    for (const [name, value = ''] of Object.entries(layer))
      all.set(name, { name, value, from, isOfFile: false, isOfProject: false })
  for (const key of loginIn(files).values()) {
    const isOfProject = key.level === 'project' || key.level === 'local'
    all.set(key.name, { name: key.name, value: key.value, from: `in ${placeOf(key)}`, isOfFile: true, isOfProject })
  }
  return new Map([...all].filter(([, { value }]) => value !== ''))
}

function firstOf(all: ReadonlyMap<string, Source>, names: readonly string[]): Source | undefined {
  return names.map((name) => all.get(name)).find((source) => source !== undefined)
}

/** The address, without the name and the password that it may contain. */
function addressText(all: ReadonlyMap<string, Source>): string {
  const address = firstOf(all, addresses)
  if (address === undefined) return ''
  const { name, value, from } = address
  return `, at ${URL.canParse(value) ? new URL(value).host : value} (${name} ${from})`
}

function ignoredIn(files: readonly SettingsFile[]): readonly SettingsKey[] {
  return [...loginIn(files.filter(({ level }) => level !== 'managed')).values()].filter(
    ({ name, value }) => value !== '' && name !== 'ANTHROPIC_CUSTOM_HEADERS',
  )
}

function placeOf({ path, line }: SettingsKey): string {
  return `${path}, line ${line}`
}

/** An administrator's settings for logins override all that people configure. */
export function managedLogin(files: readonly SettingsFile[]): Login | undefined {
  const managed = files.filter(({ level }) => level === 'managed')
  if (managed.length === 0) return undefined
  const keys = [...loginIn(managed).values()]
  if (keys.length === 0) {
    const names = managed.map(({ path }) => path).join(', ')
    return { state: 'ok', detail: `managed settings (${names}) do not mention the login` }
  }
  const said = keys.map((key) => `${key.name} in ${placeOf(key)}`).join(', ')
  return { state: 'warn', detail: `managed settings take precedence over config.yaml: ${said}`, remedy: askManager }
}

const askManager = "If that is not what you want, ask the machine's administrator."
