import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isMap } from 'yaml'
import type { CommandContext } from '../../../app/cli/context.ts'
import { literal, shortened } from '../../../app/cli/teams/add-project.ts'
import { withPath } from '../../../base/lib/replace-file.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { changeConfig } from '../../../platform/config/change-text.ts'
import { channelToken } from '../../../platform/config/channel-token.ts'
import { ChannelEntry, ChannelName } from '../../../platform/config/channels.ts'
import type { ChannelConfig, Config } from '../../../platform/config/config.ts'
import { expandTilde } from '../../../platform/config/home.ts'
import { unknownTeam } from '../../../platform/config/unknown-team.ts'
import type { NewTokens, Wishes } from './wishes.ts'

/** A channel that config.yaml does not have yet. */
export interface NewChannel {
  /** The entry in the form in which it goes into config.yaml. */
  readonly entry: Readonly<Record<string, unknown>>
  readonly channel: ChannelConfig
  /** The tokens that Iris writes, by the names of their files in Iris's home. */
  readonly files: Readonly<Record<string, string>>
}

interface Around {
  readonly context: CommandContext
  readonly config: Config
}

/** Throws `invalid_input` and `unknown_team`. */
export function newChannel(wishes: Wishes, tokens: NewTokens | undefined, { context, config }: Around): NewChannel {
  const { name = '', platform, team = '', tokenFile, tokenVariable, appTokenFile, appTokenVariable, apiRoot } = wishes
  const { allow = [], group = [] } = wishes
  const { env } = context
  refuseName(name, config)
  refuseTeam(team, config)
  const fileOf = (path: string): string => shortened(resolve(context.pathOf(expandTilde(path, env))), env)
  const written = {
    ...(tokens && { tokenFile: `${name}-token` }),
    ...(tokens?.appToken !== undefined && { appTokenFile: `${name}-app-token` }),
  }
  const entry = {
    platform,
    team,
    ...(tokenFile !== undefined && { tokenFile: fileOf(tokenFile) }),
    ...(tokenVariable !== undefined && { tokenVariable }),
    ...(appTokenFile !== undefined && { appTokenFile: fileOf(appTokenFile) }),
    ...(appTokenVariable !== undefined && { appTokenVariable }),
    ...written,
    ...(allow.length > 0 && { allow }),
    ...(group.length > 0 && { groups: Object.fromEntries(group.map((id) => [id, 'mention'])) }),
    ...(apiRoot !== undefined && { apiRoot: literal(apiRoot) }),
  }
  const read = ChannelEntry.safeParse(entry)
  if (!read.success) {
    const mistakes = read.error.issues.map(({ path, message }) => `${path.join('.') || 'The channel'}: ${message}`)
    throw new IrisError('invalid_input', `${mistakes.join('; ')}.`, 'See docs/guide/telegram.md, discord.md, slack.md.')
  }
  const files = {
    ...(tokens && { [`${name}-token`]: tokens.token }),
    ...(tokens?.appToken !== undefined && { [`${name}-app-token`]: tokens.appToken }),
  }
  return { entry, channel: { ...read.data, name }, files }
}

/** Throws `unknown_team`. */
export function refuseTeam(team: string, config: Config): void {
  if (!config.teams.has(team)) throw unknownTeam(team, config)
}

/** Throws `invalid_input` if the name is not valid, or if a channel already has it. */
export function refuseName(name: string, { channels, file }: Config): void {
  const read = ChannelName.safeParse(name)
  if (!read.success) {
    throw new IrisError(
      'invalid_input',
      `"${name}" is not a valid name for a channel.`,
      `${read.error.issues[0]!.message}.`,
    )
  }
  if (!channels.has(name)) return
  throw new IrisError('invalid_input', `A channel "${name}" already exists.`, `Choose another name, or edit ${file}.`)
}

/**
 * Refuses a token that another channel uses, because only one of the two channels could be connected. Throws
 * `invalid_input`.
 */
export async function refuseTaken({ token }: { token: string }, { context: { env }, config }: Around): Promise<void> {
  for (const other of config.channels.values()) {
    const found = await channelToken(other, config.home, env)
    if (!('token' in found) || found.token !== token) continue
    const remedy = 'Make a second bot, or change that channel in config.yaml.'
    throw new IrisError('invalid_input', `The channel "${other.name}" already has this token.`, remedy)
  }
}

/**
 * Writes the tokens and then config.yaml. If writing config.yaml fails, removes the tokens. Throws `config_invalid` and
 * others.
 */
export async function writeChannel(
  { entry, channel, files }: NewChannel,
  { context: { env }, config }: Around,
): Promise<void> {
  const { home } = config
  const made: string[] = []
  try {
    for (const [name, token] of Object.entries(files)) made.push(await writeToken(join(home, name), token))
    await changeConfig({ home, env }, (document) => {
      const known = document.get('channels')
      if (!isMap(known)) document.delete('channels')
      // If `channels: {}` were kept, the new entry would be written in flow style.
      else if (known.items.length === 0) known.flow = false
      document.setIn(['channels', channel.name], document.createNode(entry))
    })
  } catch (error) {
    for (const path of made) await rm(path, { force: true })
    throw error
  }
}

async function writeToken(path: string, token: string): Promise<string> {
  try {
    await writeFile(path, `${token}\n`, { mode: 0o600, flag: 'wx', flush: true })
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw withPath(error, path)
    const remedy = `Use it with --token-file ${path}, remove it, or give the channel another name.`
    throw new IrisError('invalid_input', `${path} already exists.`, remedy)
  }
}
