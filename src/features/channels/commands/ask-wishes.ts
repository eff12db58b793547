import type { CommandContext } from '../../../app/cli/context.ts'
import { askSecret, askText, choose } from '../../../app/cli/prompt.ts'
import type { ChatPlatformName } from '../../../platform/config/channels.ts'
import type { Config } from '../../../platform/config/config.ts'
import { refuseName, refuseTeam } from './new-channel.ts'
import type { NewTokens, Wishes } from './wishes.ts'

interface Asked {
  readonly wishes: Wishes
  readonly tokens?: NewTokens
}

const platforms: Readonly<Record<ChatPlatformName, { readonly label: string; readonly hint: string }>> = {
  telegram: { label: 'Telegram', hint: 'send /newbot to @BotFather to get a token' },
  discord: { label: 'Discord', hint: 'docs/guide/discord.md' },
  slack: { label: 'Slack', hint: 'docs/guide/slack.md' },
}
const platformChoices = Object.entries(platforms).map(([value, shown]) => ({ value, ...shown }))

const places = [
  { value: 'file', label: 'In a file that only you can read: Iris writes it' },
  { value: 'variable', label: 'In an environment variable of Iris' },
] as const

/**
 * Asks for the options that were not given on the command line. Undefined if the person cancelled. Throws
 * `invalid_input` and `unknown_team`.
 */
export async function askWishes(context: CommandContext, typed: Wishes, config: Config): Promise<Asked | undefined> {
  const platform = typed.platform ?? (await choose(context, 'Where do people talk?', platformChoices))
  if (platform === undefined) return undefined
  const name =
    typed.name ?? (await askText(context, 'A name for the channel, as in "iris channels test shop"', platform))
  if (name === undefined) return undefined
  refuseName(name, config)
  const teams = [...config.teams.keys()].map((value) => ({ value, label: value }))
  const team = typed.team ?? (await choose(context, 'Which team answers?', teams))
  if (team === undefined) return undefined
  refuseTeam(team, config)
  const placed = await askToken(context, { ...typed, platform })
  if (placed === undefined) return undefined
  const allow =
    typed.allow ??
    listOf(await askText(context, 'Ids of people who may write to it. Empty: they get a code, which you approve'))
  const group =
    allow &&
    (typed.group ??
      listOf(await askText(context, 'Ids of groups in which it answers when mentioned: everybody there may ask')))
  if (allow === undefined || group === undefined) return undefined
  return { ...placed, wishes: { ...placed.wishes, name, platform, team, allow, group } }
}

async function askToken(context: CommandContext, typed: Wishes): Promise<Asked | undefined> {
  if ((typed.tokenFile ?? typed.tokenVariable) !== undefined) return askAppToken(context, typed)
  const place = typed.tokenStdin ? 'file' : await choose(context, 'Where is the token of the bot?', places)
  if (place === undefined) return undefined
  if (place === 'variable') {
    const tokenVariable = await askText(context, 'The name of the variable', `${typed.platform?.toUpperCase()}_TOKEN`)
    return tokenVariable === undefined ? undefined : askAppToken(context, { ...typed, tokenVariable })
  }
  const token = await askSecret(context, 'The token of the bot')
  if (token === undefined) return undefined
  const appToken = needsApp(typed) ? await askSecret(context, 'The app-level token (xapp-…)') : ''
  if (appToken === undefined) return undefined
  return { wishes: { ...typed, tokenStdin: true }, tokens: { token, ...(appToken !== '' && { appToken }) } }
}

async function askAppToken(context: CommandContext, typed: Wishes): Promise<Asked | undefined> {
  if (!needsApp(typed)) return { wishes: typed }
  const appTokenVariable = await askText(context, 'The variable with the app-level token (xapp-…)', 'SLACK_APP_TOKEN')
  return appTokenVariable === undefined ? undefined : { wishes: { ...typed, appTokenVariable } }
}

function needsApp({ platform, appTokenFile, appTokenVariable }: Wishes): boolean {
  return platform === 'slack' && (appTokenFile ?? appTokenVariable) === undefined
}

function listOf(written: string | undefined): readonly string[] | undefined {
  return written?.split(/[\s,]+/).filter((id) => id !== '')
}
