import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { stringify } from 'yaml'
import type { CommandInput } from '../../../app/cli/context.ts'
import { findDaemon } from '../../../app/cli/find-daemon.ts'
import { refuseInsideAgent } from '../../../app/cli/inside-agent.ts'
import { choose } from '../../../app/cli/prompt.ts'
import type { Given } from '../../../app/cli/table/spec.ts'
import { visible } from '../../../base/lib/visible.ts'
import { IrisError } from '../../../base/protocol/error.ts'
import { channelToken } from '../../../platform/config/channel-token.ts'
import type { Config } from '../../../platform/config/config.ts'
import { irisHome } from '../../../platform/config/home.ts'
import { loadConfig } from '../../../platform/config/load.ts'
import { unknownTeam } from '../../../platform/config/unknown-team.ts'
import { askWishes } from './ask-wishes.ts'
import { type NewChannel, newChannel, refuseTaken, writeChannel } from './new-channel.ts'
import { missingIn, type NewTokens, refuseSeveral, refuseTokens, type Wishes } from './wishes.ts'

/** Adds a channel to config.yaml, once the platform has confirmed its token. */
export async function addChannel(given: Given): Promise<void> {
  const { context, env, json } = given
  refuseInsideAgent(env, 'change its configuration')
  const typed = given.options as Wishes
  refuseTokens(typed)
  refuseSeveral(typed)
  const home = irisHome(env)
  const config = await loadConfig({ home, env })
  if (config.teams.size === 0) throw unknownTeam(typed.team ?? '', config)
  // Checked before Iris asks for a token, because entering it would be useless if this fails.
  await access(home, constants.W_OK)
  const asks = context.isInteractive && !json
  const asked = asks ? await askWishes(context, typed, config) : { wishes: typed, tokens: undefined }
  if (asked === undefined) return context.say('Nothing was written.')
  const { wishes } = asked
  refuseTokens(wishes)
  const missing = missingIn(wishes)
  if (missing.length > 0) {
    const what = `Without a terminal this needs ${missing.join(', ')}.`
    throw new IrisError('invalid_input', what, 'Run "iris channels add" at a terminal: it asks for them.')
  }
  const tokens = asked.tokens ?? (wishes.tokenStdin ? await readTokens(context.stdin, wishes) : undefined)
  const made = newChannel(wishes, tokens, { context, config })
  const found = await check(made, tokens, given, config)
  const shown = stringify({ channels: { [made.channel.name]: made.entry } }, { lineWidth: 0 }).trimEnd()
  if (asks) {
    context.say(foundLines(found).join('\n'))
    context.say(`This goes into ${config.file}:\n\n${shown}\n`)
    for (const name of Object.keys(made.files))
      context.say(`The token goes into ${home}/${name}, which only you can read.`)
    const answers = [
      { value: 'yes', label: 'Yes' },
      { value: 'no', label: 'No' },
    ] as const
    if ((await choose(context, 'Write it?', answers)) !== 'yes') return context.say('Nothing was written.')
  }
  await writeChannel(made, { context, config })
  const { name, platform, team, tokenVariable } = made.channel
  if (json) return context.sayJson({ added: true, name, platform, team, file: config.file, ...found })
  if (!asks) context.say(foundLines(found).join('\n'))
  context.say(`Added the channel ${name} to ${config.file}.`)
  if (tokenVariable !== undefined)
    context.say(`Iris needs the variable ${tokenVariable} in its environment when it starts.`)
  context.say((await findDaemon(home)) ? 'Iris is connecting it now.' : 'Iris connects it once you run "iris start".')
  context.say(`Write to the bot. A person who gets a code may talk after "iris channels pair ${name} <code>".`)
}

interface Found {
  readonly as: string
  readonly missing: readonly string[]
}

/** Has the platform check the tokens, as `iris channels test` does. Throws `invalid_input`. */
async function check(made: NewChannel, tokens: NewTokens | undefined, given: Given, config: Config): Promise<Found> {
  const { env, daemon } = given
  const { home } = config
  // Writes nothing until the platform has accepted the tokens, so the check reads new tokens from an environment of its
  // own.
  const { tokenFile: _, appTokenFile, ...rest } = made.channel
  const channel =
    tokens === undefined
      ? made.channel
      : {
          ...rest,
          tokenVariable: 'NEW_TOKEN',
          ...(tokens.appToken === undefined
            ? { ...(appTokenFile !== undefined && { appTokenFile }) }
            : { appTokenVariable: 'NEW_APP_TOKEN' }),
        }
  const around = { ...env, ...(tokens && { NEW_TOKEN: tokens.token, NEW_APP_TOKEN: tokens.appToken }) }
  const own = await channelToken(channel, home, around)
  if ('token' in own) await refuseTaken(own, { context: given.context, config })
  const found = await daemon.inspectChannel(channel, { home, env: around, now: () => Date.now() })
  if (found.isValid) return { as: found.as ?? '', missing: found.missing }
  const why = visible(found.why ?? 'the platform does not answer')
  throw new IrisError(
    'invalid_input',
    `The channel does not work: ${why}.`,
    'Nothing was written. Fix the problem and try again.',
  )
}

function foundLines({ as: bot, missing }: Found): string[] {
  const lacks = missing.length === 0 ? ['Nothing is missing.'] : ['Missing:', ...missing.map((one) => `  ${one}`)]
  return [`The bot is ${visible(bot)}; its tokens are valid.`, ...lacks]
}

/** The bot's token from the first line, and Slack's app-level token from the second. Throws `invalid_input`. */
async function readTokens(
  stdin: CommandInput,
  { platform, appTokenFile, appTokenVariable }: Wishes,
): Promise<NewTokens> {
  const lines = (await text(stdin)).split('\n').map((line) => line.trim())
  const [token = '', appToken = ''] = lines
  const needsApp = platform === 'slack' && (appTokenFile ?? appTokenVariable) === undefined
  if (token !== '' && (!needsApp || appToken !== '')) return { token, ...(needsApp && { appToken }) }
  const what = `stdin has no ${token === '' ? 'token' : 'second line with the app-level token'}.`
  throw new IrisError('invalid_input', what, 'For example: iris channels add … --token-stdin < file')
}
