import { globalAgent } from 'node:http'
import type { WayOut } from '../../base/lib/proxy-access.ts'
import { channelToken } from '../../platform/config/channel-token.ts'
import type { ChannelConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/home.ts'
import { proxyAccess } from '../../platform/config/proxy.ts'
import type { ChatAdapter } from './chat-platform.ts'

/** An adapter and the secrets it knows, or a sentence that tells the owner why there is no adapter. */
type Found =
  | { readonly adapter: ChatAdapter; readonly secrets: readonly [string, ...string[]] }
  | { readonly problem: string }

/**
 * Reads a channel's tokens and makes its adapter. A platform's code is loaded with the first channel on that platform.
 */
export async function chatAdapter(
  channel: ChannelConfig,
  { home, env, now }: { home: string; env: Environment; now: () => number },
): Promise<Found> {
  const { platform, apiRoot, appTokenFile: tokenFile, appTokenVariable: tokenVariable } = channel
  const found = await channelToken(channel, home, env)
  if ('problem' in found) return found
  const { token } = found
  const way = await wayOut(channel, home, env)
  if ('problem' in way) return way
  const { wayOut: out, secrets } = way
  const groups = Object.keys(channel.groups)
  switch (platform) {
    case 'telegram': {
      const { telegramAdapter } = await import('./telegram/telegram-adapter.ts')
      const adapter = telegramAdapter({ token, apiRoot, wayOut: out, groups: channel.groups })
      return { adapter, secrets: [token, ...secrets] }
    }
    case 'discord': {
      const { discordAdapter } = await import('./discord/discord-adapter.ts')
      const readsAll = Object.values(channel.groups).includes('always')
      const adapter = discordAdapter({ token, apiRoot, wayOut: out, now, readsAll, groups })
      return { adapter, secrets: [token, ...secrets] }
    }
    case 'slack': {
      const app = await channelToken({ tokenFile, tokenVariable }, home, env)
      if ('problem' in app) return app
      const { slackAdapter } = await import('./slack/slack-adapter.ts')
      const appToken = app.token
      const adapter = slackAdapter({ token, appToken, apiRoot, wayOut: out, now, groups })
      return { adapter, secrets: [token, appToken, ...secrets] }
    }
  }
}

type FoundWay =
  | { readonly wayOut: WayOut | undefined; readonly secrets: readonly string[] }
  | { readonly problem: string }

/**
 * Whether `fetch` uses the proxies of the environment: NODE_USE_ENV_PROXY, `--use-env-proxy`. Node's types lack this
 * option.
 */
function usesEnvironmentsProxy(): boolean {
  const { options } = globalAgent as { options?: { proxyEnv?: unknown } }
  return options?.proxyEnv !== undefined
}

/** How to reach the platform: through the channel's proxy, or directly if it has none. */
async function wayOut({ proxy }: ChannelConfig, home: string, env: Environment): Promise<FoundWay> {
  if (proxy === undefined && !usesEnvironmentsProxy()) return { wayOut: undefined, secrets: [] }
  if (proxy === undefined) {
    const { straight } = await import('../../base/lib/through-proxy.ts')
    return { wayOut: straight(), secrets: [] }
  }
  const found = await proxyAccess(proxy, home, env)
  if ('problem' in found) return found
  const { throughProxy } = await import('../../base/lib/through-proxy.ts')
  return { wayOut: throughProxy(found.access), secrets: found.secrets }
}
