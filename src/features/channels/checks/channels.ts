import type { CheckContext, Diagnosis } from '../../../app/doctor/check-context.ts'
import { channelToken } from '../../../platform/config/channel-token.ts'
import type { ChannelConfig } from '../../../platform/config/config.ts'
import { proxyAccess } from '../../../platform/config/proxy.ts'
import { isLimited, roleOf } from '../../../platform/config/roles.ts'

const check = 'channels'

/**
 * Whether each channel has its tokens and the password of its proxy, and which channels give outsiders all rights of a
 * team.
 */
export async function channels({ config, home, env }: CheckContext): Promise<readonly Diagnosis[]> {
  const all = [...config.channels.values()]
  const found = await Promise.all(all.map((channel) => tokenProblems(channel, home, env)))
  const open = all.filter(({ role }) => !isLimited(roleOf(config, role)))
  const wide = open.map(({ name, role, team }): Diagnosis => {
    const detail = `everybody who writes in ${name} has the rights of ${team}, because of the role ${role}`
    return { check, state: 'warn', detail, remedy: `iris config set channels.${name}.role chat_bot` }
  })
  const problems = [...found.flat(), ...wide]
  if (all.length === 0 || problems.length > 0) return problems
  return [{ check, state: 'ok', detail: `tokens of ${all.map(({ name }) => name).join(', ')}` }]
}

async function tokenProblems(
  channel: ChannelConfig,
  home: string,
  env: CheckContext['env'],
): Promise<readonly Diagnosis[]> {
  const { name, platform, appTokenFile: tokenFile, appTokenVariable: tokenVariable } = channel
  const places = platform === 'slack' ? [channel, { tokenFile, tokenVariable }] : [channel]
  const tokens = places.map((place) => channelToken(place, home, env))
  const ways = channel.proxy === undefined ? [] : [proxyAccess(channel.proxy, home, env)]
  const found = await Promise.all([...tokens, ...ways])
  return found.flatMap((one): Diagnosis[] =>
    'problem' in one
      ? [{ check, state: 'fail', detail: `${name}: ${one.problem}`, remedy: `docs/guide/${platform}.md says how` }]
      : [],
  )
}
