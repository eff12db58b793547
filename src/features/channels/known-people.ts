import type { ChannelConfig } from '../../platform/config/config.ts'
import { channelIdOf } from './chat-message.ts'
import type { ChatInbox } from './chat-platform.ts'
import type { ChannelsParts } from './parts.ts'

export type KnownPeople = Pick<ChatInbox, 'people' | 'writers'>

/** The people of a channel, from the configuration and the store. */
export function knownPeople({ name, allow }: ChannelConfig, { people, messages }: ChannelsParts): KnownPeople {
  return {
    people() {
      const paired = people.list(name).filter(({ code }) => code === null)
      return [...allow, ...paired.map(({ sender }) => sender)]
    },
    writers: () => messages.writers(name).map(({ chat, ...rest }) => ({ ...rest, channelId: channelIdOf(chat) })),
  }
}
