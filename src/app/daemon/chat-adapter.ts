import type { ChatAdapter } from '../../core/channels/chat-platform.ts'
import { channelToken } from '../../platform/config/channel-token.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'

/** An adapter with the secrets that it knows, or a sentence for the owner that says why there is none. */
type Found =
  | { readonly adapter: ChatAdapter; readonly secrets: readonly [string, ...string[]] }
  | { readonly problem: string }

/** Reads the tokens of a channel and makes its adapter. The code for a platform is loaded with its first channel. */
export async function chatAdapter(
  channel: ChannelConfig,
  { home, env, now }: { home: string; env: Environment; now: () => number },
): Promise<Found> {
  const { platform, apiRoot, appTokenFile: tokenFile, appTokenVariable: tokenVariable } = channel
  const found = await channelToken(channel, home, env)
  if ('problem' in found) return found
  const { token } = found
  if (platform === 'telegram') {
    const { telegramAdapter } = await import('../../adapters/telegram/telegram-adapter.ts')
    return { adapter: telegramAdapter({ token, apiRoot, groups: channel.groups }), secrets: [token] }
  }
  if (platform === 'discord') {
    const { discordAdapter } = await import('../../adapters/discord/discord-adapter.ts')
    const readsAll = Object.values(channel.groups).includes('always')
    return {
      adapter: discordAdapter({ token, apiRoot, now, readsAll, groups: Object.keys(channel.groups) }),
      secrets: [token],
    }
  }
  const app = await channelToken({ tokenFile, tokenVariable }, home, env)
  if ('problem' in app) return app
  const { slackAdapter } = await import('../../adapters/slack/slack-adapter.ts')
  const appToken = app.token
  return {
    adapter: slackAdapter({ token, appToken, apiRoot, now, groups: Object.keys(channel.groups) }),
    secrets: [token, appToken],
  }
}
