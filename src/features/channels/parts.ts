import type { Clock } from '../../base/lib/clock.ts'
import type { Log } from '../../base/lib/log.ts'
import type { Turns } from '../../kernel/accept/turn-handle.ts'
import type { Config } from '../../platform/config/config.ts'
import type { ChannelSessions } from './channel-sessions.ts'
import type { ChatClick } from './chat-platform.ts'
import type { ChannelChanges } from './rows/channel-changes.ts'
import type { ChannelPeople } from './rows/channel-people.ts'
import type { ChannelPosts } from './rows/channel-posts.ts'
import type { ChannelMessages } from './rows/channels.ts'

type FileCheckpoint = 'file-uploaded' | 'file-sending' | 'file-sent'

/** Moments in the processing of a message; a crash between any two must neither lose nor duplicate anything. */
export type ChannelCheckpoint = 'fetched' | 'taken' | 'sending' | 'sent' | 'reserved' | 'edited' | FileCheckpoint

export interface ChannelsParts {
  readonly config: () => Config
  readonly clock: Clock
  readonly log: Log
  readonly messages: ChannelMessages
  readonly posts: ChannelPosts
  readonly people: ChannelPeople
  readonly changes: ChannelChanges
  readonly turns: Turns
  readonly sessions: ChannelSessions
  /** Handles a click on a button of a post, and returns the text to show to the person. */
  readonly click: (source: string, click: ChatClick) => string
  /** Returns `length` cryptographically random bytes. */
  readonly random: (length: number) => Uint8Array
  /** Called at each checkpoint. Does nothing, unless a test crashes Iris there on purpose. */
  readonly at: (checkpoint: ChannelCheckpoint) => void
}
