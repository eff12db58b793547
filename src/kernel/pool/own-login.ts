import { IrisError } from '../../base/protocol/error.ts'
import { hostLoginSince, isSince } from '../../claude/driver/claude-version.ts'
import {
  handedOver,
  hostChoosesLogin,
  isConfidential,
  isFollowedByOlder,
  loginIn,
  logins,
  loginTakers,
  loginValues,
  noHelper,
  type SettingsKey,
  startedValuesHold,
  variablesOf,
} from '../../claude/driver/settings-login.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { SettingsFiles } from './settings-files.ts'

/** The settings with which a process uses the login of its team's account and no other. */
export interface OwnLogin {
  /** Variables for every process. */
  readonly env: Readonly<Record<string, string>>
  /**
   * Variables from settings files that Claude Code ignores there because of `env`. Only for a process that loads
   * settings files.
   */
  readonly handed: Readonly<Record<string, string>>
  /** The value of `--settings`. */
  readonly settings: Readonly<Record<string, unknown>>
}

type Team = Pick<TeamConfig, 'name' | 'account'>

/**
 * How a Claude Code process gets the login of its team's account. Undefined if the team has no account. `env`: the
 * process's other variables. Throws `account_unusable` if a settings file would still replace the login.
 */
export function ownLogin(
  team: Team,
  found: SettingsFiles,
  version: string | undefined,
  env: Readonly<Record<string, string>> = {},
): OwnLogin | undefined {
  if (team.account === undefined) return undefined
  const [taker] = takersOf(team, found, version)
  if (taker !== undefined) throw wouldBeTaken(team, taker, version)
  const isNewer = isSince(version, hostLoginSince)
  const { own, people, managed } = split(team, found)
  const above = variablesOf(managed)
  const theirs = handedOver(people)
  if (team.account.tokenFile === undefined) {
    const said = loginIn(own)
    const known = (name: string) => said.get(name)?.value ?? theirs[name] ?? env[name]
    const apiKeyHelper = said.get('apiKeyHelper')?.value ?? ''
    return fixed({ ...loginValues(known), ...placeOf(env) }, { isNewer, above, settings: { apiKeyHelper } })
  }
  if (loginIn(managed).has('apiKeyHelper')) {
    const known = (name: string) => (logins.some((each) => each === name) ? '' : (theirs[name] ?? env[name]))
    return fixed(loginValues(known), { isNewer, above, settings: {} })
  }
  const older = isNewer
    ? undefined
    : fixed(
        loginValues((name) => env[name]),
        { isNewer, above, settings: noHelper },
      )
  return {
    // An administrator's settings apply to every process, and Claude Code ignores this key there too.
    env: { ...older?.env, ...above, ...hostChoosesLogin },
    handed: Object.fromEntries(Object.entries(theirs).filter(([name]) => !(name in above))),
    settings: older?.settings ?? noHelper,
  }
}

/** Fixes the directory of the login, because a file could name another directory with another login in it. */
function placeOf({ CLAUDE_CONFIG_DIR: directory }: Readonly<Record<string, string>>): Record<string, string> {
  return directory === undefined ? {} : { CLAUDE_CONFIG_DIR: directory, CLAUDE_SECURESTORAGE_CONFIG_DIR: directory }
}

interface Fixing {
  readonly isNewer: boolean
  /** The variables of managed settings. */
  readonly above: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, unknown>>
}

/**
 * Enforces these values for a process, whatever people's settings files contain at its start or later. `--settings`
 * takes precedence over such files, but other users of the machine can read it, and older builds still use a socket
 * that such a file names.
 */
function fixed(values: Readonly<Record<string, string>>, { isNewer, above, settings }: Fixing): OwnLogin {
  const shown = Object.entries(values).filter(([name, value]) => !isConfidential(name, value))
  const isHeld = !isNewer || shown.length < Object.keys(values).length
  return {
    env: isHeld ? { ...values, ...above, ...startedValuesHold } : {},
    handed: {},
    settings: { ...settings, env: Object.fromEntries(shown) },
  }
}

/**
 * The keys in settings files that would replace the login of the team's account, in builds older than `hostLoginSince`.
 * Empty if the team has no account.
 */
export function takersOf(
  team: Team,
  found: SettingsFiles,
  version: string | undefined,
): readonly (SettingsKey | string)[] {
  if (team.account === undefined || isSince(version, hostLoginSince)) return []
  const { own, people } = split(team, found)
  const said = loginIn(own)
  return [...loginTakers(people, (name) => isFollowedByOlder(name) && !said.has(name)), ...found.unread]
}

/** If the account is a directory, the settings next to the login in it belong to the account. */
function split({ account }: Team, { files }: SettingsFiles) {
  const isOwn = ({ level }: (typeof files)[number]): boolean =>
    level === 'user' && account?.configDirectory !== undefined
  const managed = files.filter(({ level }) => level === 'managed')
  return {
    own: files.filter(isOwn),
    managed,
    people: files.filter((file) => !isOwn(file) && !managed.includes(file)),
  }
}

/** The error that says why the account cannot be used. */
export function wouldBeTaken(
  { name }: Pick<TeamConfig, 'name'>,
  taker: SettingsKey | string,
  version = 'of unknown version',
): IrisError {
  if (typeof taker === 'string') {
    const what = `Team "${name}" cannot use its account: ${taker} cannot be read, and might redirect the login.`
    return new IrisError('account_unusable', what, `Let the user of Iris read ${taker}, or remove it.`)
  }
  const what = `Team "${name}" cannot use its account: ${taker.path}, line ${taker.line}, sets ${taker.name}, with which Claude Code ${version} would use another login or send this one elsewhere.`
  const remedy = `Remove ${taker.name} from ${taker.path}, or account from config.yaml.`
  const newer = isSince(version, hostLoginSince) ? '' : ' Claude Code ignores it from 2.1.330 on.'
  return new IrisError('account_unusable', what, `${remedy}${newer}`)
}
