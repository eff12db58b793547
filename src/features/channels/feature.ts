import { randomBytes } from 'node:crypto'
import type { Observable } from 'rxjs'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import { feature } from '../../kernel/call/feature.ts'
import type { Refusals } from '../../kernel/call/refusals.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Reports } from '../../platform/store/reports.ts'
import type { Store } from '../../platform/store/store.ts'
import type { Questions } from '../permission/questions.ts'
import { Approvals } from './approvals.ts'
import { brokenChannels } from './broken.ts'
import { ChannelLinks, type ChannelLinksParts } from './channel-links.ts'
import { ChannelSessions, type ChannelSessionsParts } from './channel-sessions.ts'
import { Channels } from './channels.ts'
import { isChat } from './chat-message.ts'
import { ChatTools } from './chat-tools.ts'
import { agentContext } from './context.ts'
import { change, list, replay, skipped, test } from './handlers/channels.ts'
import type { ChatToolsParts } from './handlers/chat-tools.ts'
import * as chatTools from './handlers/chat-tools.ts'
import type { ViewerParts } from './handlers/viewer.ts'
import * as viewer from './handlers/viewer.ts'
import type { ChannelsParts } from './parts.ts'
import { ReportPosts } from './report-posts.ts'
import { ChannelChanges } from './rows/channel-changes.ts'
import { ChannelPeople } from './rows/channel-people.ts'
import { ChannelPosts } from './rows/channel-posts.ts'
import { ChannelMessages } from './rows/channels.ts'
import { ViewerRows } from './rows/viewer-rows.ts'
import type { ChannelsView } from './view.ts'
import { Viewer } from './viewer.ts'

interface Needs
  extends Omit<ChatToolsParts, 'channels'>,
    Omit<ViewerParts, 'channels'>,
    Pick<ChannelsParts, 'clock' | 'log'>,
    Pick<ChannelSessionsParts, 'rows' | 'pool'>,
    Pick<ChannelLinksParts, 'secrets' | 'env'> {
  readonly config: () => Config
  readonly sessionRegistry: ChannelSessionsParts['sessions']
  readonly questions: Questions
  readonly refusals: Pick<Refusals, 'record'>
  readonly database: Store
  readonly reports: Reports
  readonly atChat?: ChannelsParts['at'] | undefined
  readonly events: Observable<PublishedEvent>
}

/**
 * People in Telegram, Discord and Slack, and on the dashboard's chat page, who talk to teams: their messages, the
 * answers, files and permission questions.
 */
export const channels = feature('channels', (parts: Needs) => {
  const { clock, config, database, env, events, pool, questions, refusals, rows, secrets, turns } = parts
  const { atChat: at = () => {} } = parts
  const log = parts.log.for('channels')
  const sessions = new ChannelSessions({ clock, log, sessions: parts.sessionRegistry, rows, pool })
  const stored = storedIn(database)
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
    work: (source, chat) => chats.work(source, chat),
    refused: (subject = 'unknown', actor, why) =>
      refusals.record({ actor, action: 'permission.answer_refused', subject, detail: { why } }),
  })
  const click: ChannelsParts['click'] = (source, clicked) => approvals.click(source, clicked)
  const chats = new Channels({ ...stored, config, clock, log, turns, sessions, random, click, at })
  const reportPosts = new ReportPosts({
    clock,
    log,
    posts,
    messages,
    reports: parts.reports,
    platformOf: (source) => chats.platformOf(source),
    work: (source, chat) => chats.work(source, chat),
  })
  events.subscribe((event) => {
    if (event.type === 'turn-settled') {
      if (isChat(event.from)) chats.settled(event.turnId)
      // Posts reports that arrived while the channel was not connected.
      if (isChat(event.from)) reportPosts.post(event)
    } else if (event.type === 'turn-reported') {
      if (isChat(event.from)) reportPosts.post(event)
    } else if (event.type === 'permission:resolved' || event.type === 'permission:timeout') {
      approvals.resolved(event.permission)
    }
  })
  const links = new ChannelLinks({ config, clock, log, secrets, env, channels: chats, changes, sessions })
  const contextOf = (session: Session, turnId: string) => agentContext(session, turnId, { config, messages })
  const stateOf = (name: string) => links.stateOf(name)
  const platformOf = (source: string) => chats.platformOf(source)
  const work = (source: string, chat: string): void => chats.work(source, chat)
  const tools = new ChatTools({ config, clock, posts, messages, platformOf, work })
  const ofViewer = { config, turns, sessions: parts.sessionRegistry, chats: sessions, rows: new ViewerRows(database) }
  const view: ChannelsView = {
    tools,
    viewer: new Viewer(ofViewer),
    stateOf,
    inspect: (channel) => links.inspect(channel),
    replay: (channel) => chats.replay(channel),
    pair: (source, code) => chats.pair(source, code),
    ...stored,
  }
  questions.offerTo((permission, mode) => approvals.asked(permission, mode))
  const reading = { ...parts, channels: view }
  return {
    gives: { channels: view },
    isOn: () => config().channels.size > 0,
    broken: () => brokenChannels(config(), stateOf),
    seams: { context: { of: contextOf } },
    handlers: {
      chat_reply: (input, call) => chatTools.reply(input, call, reading),
      chat_react: (input, call) => chatTools.react(input, call, reading),
      chat_send_file: (input, call) => chatTools.sendFile(input, call, reading),
      chat_history: (input, call) => chatTools.history(input, call, reading),
      list_channels: () => list(reading),
      change_channel: (input) => change(input, reading),
      test_channel: (input) => test(input, reading),
      list_skipped: (input) => skipped(input, reading),
      replay_skipped: (input) => replay(input, reading),
      viewer_overview: (_input, call) => viewer.overview(call, reading),
      viewer_messages: (input, call) => viewer.messages(input, call, reading),
      viewer_send: (input, call) => viewer.send(input, call, reading),
      viewer_stop: (input, call) => viewer.stop(input, call, reading),
      viewer_search: (input, call) => viewer.search(input, call, reading),
    },
    begin: () => links.begin(),
    changed: () => links.settingsChanged(),
    quiet: () => links.end(),
  }
})

function storedIn(store: Store): Pick<ChannelsParts, 'messages' | 'posts' | 'people' | 'changes'> {
  return {
    messages: new ChannelMessages(store),
    posts: new ChannelPosts(store),
    people: new ChannelPeople(store),
    changes: new ChannelChanges(store),
  }
}
