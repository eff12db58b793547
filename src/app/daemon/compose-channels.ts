import { randomBytes } from 'node:crypto'
import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { ChannelSessions, type ChannelSessionsParts } from '../../core/channels/channel-sessions.ts'
import { Channels } from '../../core/channels/channels.ts'
import { agentContext } from '../../core/channels/context.ts'
import type { ChannelsParts } from '../../core/channels/parts.ts'
import type { ChannelsView } from '../../core/channels/view.ts'
import type { Session } from '../../core/session/session.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import { ChannelPeople } from '../../platform/store/channel-people.ts'
import { ChannelPosts } from '../../platform/store/channel-posts.ts'
import { ChannelMessages } from '../../platform/store/channels.ts'
import type { Store } from '../../platform/store/store.ts'
import { ChannelLinks, type ChannelLinksParts } from './channel-links.ts'

interface Around
  extends Pick<ChannelsParts, 'clock' | 'log' | 'turns'>,
    Pick<ChannelSessionsParts, 'rows' | 'pool' | 'sessions'>,
    Pick<ChannelLinksParts, 'secrets' | 'env'> {
  readonly live: LiveConfig
  readonly store: Store
  readonly atChat?: ChannelsParts['at'] | undefined
  readonly events: Observable<PublishedEvent>
}

/** Composes the channels, where people in chats talk to teams. */
export function composeChannels({ live, store, events, rows, pool, atChat: at = () => {}, ...around }: Around) {
  const { clock, turns, secrets, env } = around
  const [config, log] = [live.current, around.log.for('channels')]
  const sessions = new ChannelSessions({ clock, log, sessions: around.sessions, rows, pool })
  const [messages, posts, people] = [new ChannelMessages(store), new ChannelPosts(store), new ChannelPeople(store)]
  const random = (length: number): Uint8Array => randomBytes(length)
  const channels = new Channels({ config, clock, log, messages, posts, people, turns, sessions, random, at })
  events.subscribe((event) => event.type === 'turn-settled' && channels.settled(event.turnId))
  const links = new ChannelLinks({ config, clock, log, secrets, env, channels, sessions })
  const contextOf = (session: Session, turnId: string) => agentContext(session, turnId, { config, messages })
  const stateOf = (name: string) => links.stateOf(name)
  const view: ChannelsView = { stateOf, pair: (source, code) => channels.pair(source, code), messages, posts, people }
  return { links, contextOf, view }
}
