import type { APIMessage, MessageType } from 'discord.js'
import { about, each, event, type MessageKind, quoted, refused, taken } from '../message-kinds.ts'

const words = taken('words, in Markdown, with the addresses behind links')
const metadata = about('where, when, by whom and how it was sent, its reactions, and previews of its links')
const change = event('notices of Discord: joins, pins, calls, boosts, threads, commands of apps and the like')
const sticker = refused('a sticker')

/**
 * Every field of a Discord message, and what becomes of it. The type check fails when the library's types have a new
 * field.
 */
export const discordKinds = {
  content: words,
  attachments: taken(
    'a picture, a PDF file, a voice message or another file',
    'if the role reads such files; else the message is refused',
  ),
  referenced_message: quoted(
    'the message that is replied to',
    'with its author, where Discord shows it to the bot. Its files are not read',
  ),
  message_snapshots: quoted('a forwarded message', 'without its author: Discord does not say who wrote it'),
  thread: quoted('the message that a thread begins with', 'with its author, in the first message of a conversation'),
  ...each(sticker, 'sticker_items', 'stickers'),
  poll: refused('a poll'),
  activity: refused('an invitation to an activity'),
  shared_client_theme: refused('a theme'),
  components: refused('buttons and menus of an app'),
  ...each(
    metadata,
    ...([
      'id',
      'channel_id',
      'author',
      'timestamp',
      'edited_timestamp',
      'tts',
      'mention_everyone',
      'mentions',
      'mention_roles',
      'mention_channels',
      'embeds',
      'reactions',
      'nonce',
      'pinned',
      'webhook_id',
      'type',
      'application',
      'application_id',
      'message_reference',
      'flags',
      'interaction_metadata',
      'interaction',
      'position',
      'resolved',
    ] as const),
  ),
  ...each(change, 'role_subscription_data', 'call'),
} satisfies Record<keyof APIMessage, MessageKind>

/** People write new messages and replies; the other types are notices. */
export const discordTypes = {
  ...each(words, 'Default', 'Reply'),
  ...each(
    change,
    ...([
      'RecipientAdd',
      'RecipientRemove',
      'Call',
      'ChannelNameChange',
      'ChannelIconChange',
      'ChannelPinnedMessage',
      'UserJoin',
      'GuildBoost',
      'GuildBoostTier1',
      'GuildBoostTier2',
      'GuildBoostTier3',
      'ChannelFollowAdd',
      'GuildDiscoveryDisqualified',
      'GuildDiscoveryRequalified',
      'GuildDiscoveryGracePeriodInitialWarning',
      'GuildDiscoveryGracePeriodFinalWarning',
      'ThreadCreated',
      'ChatInputCommand',
      'ThreadStarterMessage',
      'GuildInviteReminder',
      'ContextMenuCommand',
      'AutoModerationAction',
      'RoleSubscriptionPurchase',
      'InteractionPremiumUpsell',
      'StageStart',
      'StageEnd',
      'StageSpeaker',
      'StageRaiseHand',
      'StageTopic',
      'GuildApplicationPremiumSubscription',
      'GuildIncidentAlertModeEnabled',
      'GuildIncidentAlertModeDisabled',
      'GuildIncidentReportRaid',
      'GuildIncidentReportFalseAlarm',
      'PurchaseNotification',
      'PollResult',
    ] as const),
  ),
} satisfies Record<keyof typeof MessageType, MessageKind>
