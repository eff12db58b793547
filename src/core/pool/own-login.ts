import { IrisError } from '../../base/protocol/error.ts'
import { hostLoginSince, isSince } from '../../claude/driver/claude-version.ts'
import {
  type Found,
  handedOver,
  hostChoosesLogin,
  isFollowedByOlder,
  loginIn,
  logins,
  loginTakers,
  noHelper,
  type SettingsKey,
  variablesOf,
} from '../../claude/driver/settings-login.ts'
import { withoutOthers } from '../../platform/config/account.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import type { SettingsFiles } from './settings-files.ts'

/** With what a process has the login of its team's account and no other. */
export interface OwnLogin {
  /** For every process. */
  readonly env: Readonly<Record<string, string>>
  /** Variables of settings files that Claude Code ignores with `env`; only for a process that loads settings files. */
  readonly handed: Readonly<Record<string, string>>
  /** For `--settings`. */
  readonly settings: Readonly<Record<string, unknown>>
}

type Team = Pick<TeamConfig, 'name' | 'account'>

/**
 * How a process of this Claude Code gets the login of its team's account; undefined without an account. Throws
 * `account_unusable` if a settings file would take the login all the same.
 */
export function ownLogin(team: Team, found: SettingsFiles, version: string | undefined): OwnLogin | undefined {
  if (team.account === undefined) return undefined
  const [taker] = takersOf(team, found, version)
  if (taker !== undefined) throw wouldBeTaken(team, taker, version)
  const { own, people, managed } = split(team, found)
  if (team.account.tokenFile === undefined) return ofDirectory(loginIn(own))
  if (loginIn(managed).has('apiKeyHelper')) return { env: {}, handed: {}, settings: {} }
  return {
    // What an administrator says counts for every process, and Claude Code ignores it too.
    env: { ...variablesOf(managed), ...hostChoosesLogin },
    handed: handedOver(people, version),
    settings: noHelper,
  }
}

/**
 * The login in the files of a directory, which Claude Code does not take where Iris chooses the login. Settings of a
 * process count before those of files, and keep out the logins of others.
 */
function ofDirectory(own: ReadonlyMap<string, Found>): OwnLogin {
  const said = Object.fromEntries([...own].map(([name, { value }]) => [name, value]))
  const { apiKeyHelper = '', ...env } = said
  return { env: {}, handed: {}, settings: { apiKeyHelper, env: { ...withoutOthers, ...env } } }
}

/** The keys of settings files that would take the login of the team's account. Empty without an account. */
export function takersOf(
  team: Team,
  found: SettingsFiles,
  version: string | undefined,
): readonly (SettingsKey | string)[] {
  if (team.account === undefined) return []
  const { own, people, managed } = split(team, found)
  const { unread } = found
  if (team.account.tokenFile === undefined) {
    const said = loginIn(own)
    return [...loginTakers(people, (name) => !said.has(name) && !logins.some((each) => each === name)), ...unread]
  }
  // Claude Code runs no helper where Iris chooses the login, so here Iris cannot choose it.
  if (loginIn(managed).has('apiKeyHelper')) return [...loginTakers(people, () => true), ...unread]
  return isSince(version, hostLoginSince) ? [] : [...loginTakers(people, isFollowedByOlder), ...unread]
}

/** The settings beside the login of an account that is a directory belong to that account. */
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

/** Why the account cannot be used. */
export function wouldBeTaken(
  { name }: Pick<TeamConfig, 'name'>,
  taker: SettingsKey | string,
  version = 'of unknown version',
): IrisError {
  if (typeof taker === 'string') {
    const what = `Team "${name}" cannot use its account: ${taker} cannot be read, and may lead the login elsewhere.`
    return new IrisError('account_unusable', what, `Let the user of Iris read ${taker}, or remove it.`)
  }
  const what = `Team "${name}" cannot use its account: ${taker.path}, line ${taker.line}, sets ${taker.name}, with which Claude Code ${version} would use another login or send this one elsewhere.`
  const remedy = `Remove ${taker.name} from ${taker.path}, or account from config.yaml.`
  const newer = isSince(version, hostLoginSince) ? '' : ' Claude Code ignores it from 2.1.330 on.'
  return new IrisError('account_unusable', what, `${remedy}${newer}`)
}
