import { SocketModeClient } from '@slack/socket-mode'
import { LogLevel, WebClient, type WebClientOptions } from '@slack/web-api'
import type { WayOut } from '../../../base/lib/proxy-access.ts'
import type { ChatChange, ChatMessage } from '../chat-message.ts'
import { type ChatAdapter, type ChatClick, type ChatInbox, type Inspection, readButton } from '../chat-platform.ts'
import { catchUp, orNothing, type Source } from './older-messages.ts'
import { readChange, type SlackChange } from './read-change.ts'
import { laterOf, readMessage, stampAt } from './read-message.ts'
import type { SlackMessage } from './slack-message.ts'
import { failureOf, isTokenError, slackError, slackPlatform } from './slack-platform.ts'

interface SlackParts {
  /** The bot's token (`xoxb-…`). `appToken` (`xapp-…`) is for the connection that delivers messages. */
  readonly token: string
  readonly appToken: string
  readonly apiRoot: string | undefined
  /** If undefined, requests go directly to the platform. */
  readonly wayOut?: WayOut | undefined
  readonly groups: readonly string[]
  readonly now: () => number
}

/**
 * The event that a private channel was shared with another company and got a new id. No person can write such an event.
 */
interface Move {
  readonly old_channel_id?: string
  readonly new_channel_id?: string
}

/** One envelope, as the library gives it. */
interface Envelope {
  readonly ack: (response?: Record<string, unknown>) => Promise<void>
  readonly type: string
  readonly body: {
    readonly event?: SlackMessage & SlackChange & Move & { readonly type: string; readonly channel?: string }
    /** Present if the envelope is a click. */
    readonly type?: string
    readonly user?: { readonly id: string }
    readonly actions?: readonly { readonly value?: string }[]
    readonly container?: { readonly channel_id?: string; readonly message_ts?: string }
  }
}

/** How long the platform may take to answer one request, milliseconds. */
const timeoutMs = 30_000

const nothing = (): void => {}
/** Discards the logs of Slack's libraries, which contain the text of messages and the address of the connection. */
const silent = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setName: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
}

/**
 * The library's connection. It suppresses the unhandled rejection that an envelope causes if it does not match Slack's
 * documentation.
 */
class Connection extends SocketModeClient {
  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    await super.onWebSocketMessage(data, isBinary).catch(nothing)
  }
}

/**
 * The adapter of one bot. An envelope is acknowledged once its message is stored; Slack redelivers all others. Messages
 * that Slack could not deliver are read from the history of the chats.
 */
export function slackAdapter(parts: SlackParts): ChatAdapter {
  const options = {
    ...(parts.apiRoot !== undefined && { slackApiUrl: `${parts.apiRoot.replace(/\/+$/, '')}/api/` }),
    logger: silent,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: timeoutMs,
    allowAbsoluteUrls: false,
    ...(parts.wayOut && { fetch: parts.wayOut.fetch as NonNullable<WebClientOptions['fetch']> }),
  }
  const web = new WebClient(parts.token, options)
  const directChats = new Map<string, string>()
  return {
    problem,
    inspect: () => inspect(parts, web, new WebClient(parts.appToken, options)),
    async listen(inbox, signal) {
      const { user_id: user = '', team_id: team = '', user: name = user } = await web.auth.test()
      inbox.open(slackPlatform(web, { ...parts, me: user }))
      if (inbox.cursor() === '0') inbox.passed(stampAt(parts.now()))
      const socket = new Connection({
        appToken: parts.appToken,
        autoReconnectEnabled: false,
        logger: silent,
        clientOptions: options,
        ...(parts.wayOut && { dispatcher: parts.wayOut.dispatcher }),
      })
      const source = { parts, web, inbox, me: { user, team }, directChats }
      const ended = new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        signal.addEventListener('abort', () => resolve())
        socket.once('disconnected', () => resolve())
      })
      // Runs before the first event of this connection, so that messages from the time in between are stored first.
      socket.on('connected', () => {
        // The socket connected although it should have ended: Slack would send it messages that nobody handles.
        if (signal.aborted) return void socket.disconnect()
        inbox.set({ state: 'connected', as: name })
        catchUp(source)
      })
      socket.on('slack_event', (envelope: Envelope) => void receive(source, envelope))
      try {
        const started = socket.start()
        // The start may fail after the connection has ended.
        started.catch(nothing)
        await Promise.race([started, ended])
        await ended
      } finally {
        await socket.disconnect()
      }
      if (!signal.aborted) throw new Error('the connection was lost')
    },
  }
}

/** The bot's scopes, as listed in docs/guide/slack.md. */
const scopes = [
  'app_mentions:read',
  'channels:history',
  'chat:write',
  'files:read',
  'files:write',
  'groups:history',
  'im:history',
  'im:write',
  'reactions:write',
]

async function inspect({ groups }: SlackParts, web: WebClient, app: WebClient): Promise<Inspection> {
  const { user = '', response_metadata: facts } = await web.auth.test()
  await app.apps.connections.open()
  const given = (facts as { scopes?: readonly string[] } | undefined)?.scopes
  const lacking = given === undefined ? [] : scopes.filter((scope) => !given.includes(scope))
  const missing = lacking.map((scope) => `The scope ${scope}: add it under OAuth & Permissions, and reinstall the app.`)
  for (const channel of groups) {
    const seen = await orNothing(web.conversations.history({ channel, limit: 1 }))
    if (seen === undefined) missing.push(`It may not read the channel ${channel}: invite it there.`)
  }
  return { as: user, missing }
}

async function receive(source: Source, { ack, type, body }: Envelope): Promise<void> {
  const { web, inbox } = source
  if (type === 'interactive') await click(web, inbox, body)
  if (type === 'events_api') inbox.readable(() => move(body, inbox))
  const message = type === 'events_api' ? inbox.readable(() => messageIn(body, source)) : undefined
  const change = type === 'events_api' ? inbox.readable(() => changeIn(body, source)) : undefined
  const isStored =
    (message === undefined || (await inbox.take(message))) && (change === undefined || (await inbox.change(change)))
  // If the acknowledgement fails, Slack redelivers the envelope, and Iris already knows the message.
  if (isStored) await ack().catch(nothing)
}

function move({ event }: Envelope['body'], inbox: ChatInbox): void {
  const { type, old_channel_id: from, new_channel_id: to } = event ?? {}
  if (type === 'channel_id_changed' && typeof from === 'string' && typeof to === 'string') inbox.moved(from, to)
}

function messageIn({ event }: Envelope['body'], { inbox, me }: Source): ChatMessage | undefined {
  const isMessage = event?.type === 'message' || event?.type === 'app_mention'
  if (!isMessage || event.channel === undefined) return undefined
  return readMessage(event, { me, channel: event.channel, cursor: laterOf(inbox.cursor(), event.ts) })
}

function changeIn({ event }: Envelope['body'], { me }: Source): ChatChange | undefined {
  if (event?.type !== 'message' || event.channel === undefined) return undefined
  return readChange(event, { me, channel: event.channel, cursor: event.ts })
}

async function click(web: WebClient, inbox: ChatInbox, body: Envelope['body']): Promise<void> {
  const clicked = inbox.readable(() => clickIn(body))
  if (clicked === undefined) return
  const text = inbox.click(clicked)
  // Only the person who clicked sees these words; nothing is lost if they do not arrive.
  await web.chat.postEphemeral({ channel: clicked.chatId, user: clicked.senderId, text }).catch(nothing)
}

function clickIn({ type, user, actions, container }: Envelope['body']): ChatClick | undefined {
  const { channel_id: chatId, message_ts: messageId } = container ?? {}
  const button = type === 'block_actions' ? readButton(actions?.[0]?.value) : undefined
  if (button === undefined || user === undefined || chatId === undefined || messageId === undefined) return undefined
  return { ...button, senderId: user.id, chatId, messageId }
}

function problem(error: unknown): ReturnType<ChatAdapter['problem']> {
  const { message, retryAfterMs: pauseMs } = failureOf(error)
  if (isTokenError(error)) {
    return { state: { state: 'refused', why: `Slack does not know one of the tokens (${message})` }, pauseMs }
  }
  const isRefused = slackError(error) !== undefined && failureOf(error).kind === 'never'
  return { state: { state: isRefused ? 'refused' : 'retrying', why: message }, pauseMs }
}
