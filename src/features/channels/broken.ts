import type { Broken } from '../../base/protocol/broken.ts'
import type { Config } from '../../platform/config/config.ts'
import type { ChannelsView } from './view.ts'

/** Only problems that a person must fix. A platform that is briefly unreachable recovers by itself. */
export function brokenChannels(config: Pick<Config, 'channels'>, stateOf: ChannelsView['stateOf']): Broken[] {
  const refused = [...config.channels.values()].filter(({ name }) => stateOf(name).state === 'refused')
  return refused.map(({ name, team }) => ({
    kind: 'channel',
    teams: [team],
    what: `The channel ${name} needs setup.`,
    remedy: 'The Channels page says why. Iris keeps trying.',
  }))
}
