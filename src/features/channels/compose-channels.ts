import { randomBytes } from 'node:crypto'
import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { Refusals } from '../../kernel/call/refusals.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { LiveConfig } from '../../platform/config/live-config.ts'
import { Reports } from '../../platform/store/reports.ts'
import type { Store } from '../../platform/store/store.ts'
import { Approvals, type ApprovalsParts } from './approvals.ts'
import { ChannelLinks, type ChannelLinksParts } from './channel-links.ts'
import { ChannelSessions, type ChannelSessionsParts } from './channel-sessions.ts'
import { Channels } from './channels.ts'
import { isChat } from './chat-message.ts'
import { ChatTools } from './chat-tools.ts'
import { agentContext } from './context.ts'
import type { ChannelsParts } from './parts.ts'
import { ReportPosts } from './report-posts.ts'
import { ChannelChanges } from './rows/channel-changes.ts'
import { ChannelPeople } from './rows/channel-people.ts'
import { ChannelPosts } from './rows/channel-posts.ts'
import { ChannelMessages } from './rows/channels.ts'
import { ViewerRows } from './rows/viewer-rows.ts'
import type { ChannelsView } from './view.ts'
import { Viewer } from './viewer.ts'

interface Around
  extends Pick<ChannelsParts, 'clock' | 'log' | 'turns'>,
    Pick<ChannelSessionsParts, 'rows' | 'pool' | 'sessions'>,
    Pick<ChannelLinksParts, 'secrets' | 'env'> {
  readonly questions: ApprovalsParts['questions']
  readonly refusals: Pick<Refusals, 'record'>
  readonly live: LiveConfig
  readonly store: Store
  readonly atChat?: ChannelsParts['at'] | undefined
  readonly events: Observable<PublishedEvent>
}

/** Composes the channels, where people in chats talk to teams. */
export function composeChannels({
  live,
  store,
  events,
  rows,
  pool,
  questions,
  refusals,
  atChat: at = () => {},
  ...around
}: Around) {
  const { clock, turns, secrets, env } = around
  const [config, log] = [live.current, around.log.for('channels')]
  const sessions = new ChannelSessions({ clock, log, sessions: around.sessions, rows, pool })
  const stored = storedIn(store)
  const { messages, posts, changes } = stored
  const random = (length: number): Uint8Array => randomBytes(length)
  const approvals = new Approvals({
    config,
    clock,
    log,
    posts,
    messages,
    random,
    questions,
    work: (source, chat) => channels.work(source, chat),
    refused: (subject = 'unknown', actor, why) =>
      refusals.record({ actor, action: 'permission.answer_refused', subject, detail: { why } }),
  })
  const click: ChannelsParts['click'] = (source, clicked) => approvals.click(source, clicked)
  const channels = new Channels({ ...stored, config, clock, log, turns, sessions, random, click, at })
  const reportPosts = new ReportPosts({
    clock,
    log,
    posts,
    messages,
    reports: new Reports(store),
    platformOf: (source) => channels.platformOf(source),
    work: (source, chat) => channels.work(source, chat),
  })
  events.subscribe((event) => {
    if (event.type === 'turn-settled') {
      if (isChat(event.from)) channels.settled(event.turnId)
      // Of a channel that was not connected before.
      if (isChat(event.from)) reportPosts.post(event)
    } else if (event.type === 'turn-reported') {
      if (isChat(event.from)) reportPosts.post(event)
    } else if (event.type === 'permission:resolved' || event.type === 'permission:timeout') {
      approvals.resolved(event.permission)
    }
  })
  const links = new ChannelLinks({ config, clock, log, secrets, env, channels, changes, sessions })
  const contextOf = (session: Session, turnId: string) => agentContext(session, turnId, { config, messages })
  const stateOf = (name: string) => links.stateOf(name)
  const platformOf = (source: string) => channels.platformOf(source)
  const work = (source: string, chat: string): void => channels.work(source, chat)
  const tools = new ChatTools({ config, clock, posts, messages, platformOf, work })
  const ofViewer = { config, turns, sessions: around.sessions, chats: sessions, rows: new ViewerRows(store) }
  const view: ChannelsView = {
    tools,
    viewer: new Viewer(ofViewer),
    stateOf,
    inspect: (channel) => links.inspect(channel),
    replay: (channel) => channels.replay(channel),
    pair: (source, code) => channels.pair(source, code),
    ...stored,
  }
  return { served: { channelLinks: links, approvals }, contextOf, view }
}

function storedIn(store: Store): Pick<ChannelsParts, 'messages' | 'posts' | 'people' | 'changes'> {
  return {
    messages: new ChannelMessages(store),
    posts: new ChannelPosts(store),
    people: new ChannelPeople(store),
    changes: new ChannelChanges(store),
  }
}
