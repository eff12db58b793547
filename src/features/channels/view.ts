import type { ChannelConfig } from '../../platform/config/config.ts'
import type { Channels } from './channels.ts'
import type { Inspection } from './chat-platform.ts'
import type { ChatTools } from './chat-tools.ts'
import type { ChannelLinkState } from './contract/channels.ts'
import type { ChannelChanges } from './rows/channel-changes.ts'
import type { ChannelPeople } from './rows/channel-people.ts'
import type { ChannelPosts } from './rows/channel-posts.ts'
import type { ChannelMessages } from './rows/channels.ts'
import type { Viewer } from './viewer.ts'

/** The result of testing a channel: `why` it does not work, or the bot and the rights that it lacks. */
export interface Inspected extends Partial<Inspection> {
  readonly isValid: boolean
  readonly why?: string
  readonly missing: readonly string[]
}

/** The operations' view of channels. */
export interface ChannelsView extends Pick<Channels, 'pair' | 'replay'> {
  stateOf(name: string): ChannelLinkState
  inspect(channel: ChannelConfig): Promise<Inspected>
  readonly tools: Pick<ChatTools, 'reply' | 'react' | 'history' | 'maySendFile' | 'sendFile'>
  readonly viewer: Viewer
  readonly people: ChannelPeople
  readonly changes: Pick<ChannelChanges, 'moves'>
  readonly messages: Pick<ChannelMessages, 'costs' | 'counts' | 'skipped'>
  readonly posts: Pick<ChannelPosts, 'counts' | 'failures'>
}
