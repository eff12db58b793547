import type { ChannelLinkState } from '../../base/protocol/operations/channels.ts'
import type { ChannelPeople } from '../../platform/store/channel-people.ts'
import type { ChannelPosts } from '../../platform/store/channel-posts.ts'
import type { ChannelMessages } from '../../platform/store/channels.ts'
import type { Channels } from './channels.ts'
import type { ChatTools } from './chat-tools.ts'
import type { Viewer } from './viewer.ts'

/** The operations' view of channels. */
export interface ChannelsView extends Pick<Channels, 'pair'> {
  stateOf(name: string): ChannelLinkState
  readonly tools: Pick<ChatTools, 'reply' | 'react' | 'history'>
  readonly viewer: Viewer
  readonly people: ChannelPeople
  readonly messages: Pick<ChannelMessages, 'counts'>
  readonly posts: Pick<ChannelPosts, 'counts'>
}
