import type { AllMessageEvents, FileShareMessageEvent, GenericMessageEvent, KnownBlock } from '@slack/web-api'
import { about, each, event, type MessageKind, quoted, refused, taken } from '../message-kinds.ts'

const words = taken('words, with the addresses behind links')
const metadata = about('where, when, by whom and how it was sent, its formatting, reactions and pins')
const change = event('notices of Slack: joins, topics, names, archives, edits, deletions, calls and the like')
const ofApps = refused('a block of an app')

/** Every field of a message that a person writes. */
const slackFields = {
  text: words,
  thread_ts: quoted('the message that a thread begins with', 'with its author, in the first message of a conversation'),
  ...each(
    metadata,
    ...([
      'type',
      'subtype',
      'event_ts',
      'team',
      'channel',
      'user',
      'bot_id',
      'bot_profile',
      'ts',
      'channel_type',
      'edited',
      'client_msg_id',
      'parent_user_id',
      'is_starred',
      'pinned_to',
      'reactions',
      'assistant_thread',
      'app_context',
      'upload',
      'display_as_bot',
      'files',
      'x_files',
      'blocks',
      'attachments',
    ] as const),
  ),
} satisfies Record<keyof GenericMessageEvent | keyof FileShareMessageEvent, MessageKind>

/** The kinds of attachment that Iris distinguishes. */
export const slackAttachments = {
  shared: quoted('a shared or forwarded message', 'with its author. Its files are read like those of the message'),
  preview: about('the preview of a link', 'the link is among the words'),
  other: refused('an attachment of an app'),
} satisfies Record<string, MessageKind>

/** The modes of files, and further names for files whose content Iris cannot get. */
export const slackFiles = {
  ...each(
    taken('a picture, a PDF file, a clip or another file', 'if the role reads such files; else the message is refused'),
    ...(['hosted', 'snippet'] as const),
  ),
  external: refused('a file that is kept outside Slack'),
  ...each(refused('a canvas'), 'canvas', 'quip'),
  list: refused('a list'),
  post: refused('a post'),
  tombstone: refused('a deleted file'),
  hidden_by_limit: refused('a file that Slack hides, because the plan keeps fewer'),
  unavailable: refused('a file that Slack does not give to bots'),
} satisfies Record<string, MessageKind>

export const slackBlocks = {
  rich_text: words,
  ...each(metadata, 'file', 'divider'),
  image: refused('an image of an app'),
  video: refused('a video of an app'),
  call: refused('a call'),
  ...each(refused('a table'), 'table', 'data_table'),
  ...each(
    ofApps,
    ...([
      'actions',
      'alert',
      'card',
      'carousel',
      'container',
      'context',
      'context_actions',
      'header',
      'input',
      'markdown',
      'section',
      'task_card',
      'plan',
    ] as const),
  ),
} satisfies Record<KnownBlock['type'] | 'call', MessageKind>

/** Messages that people write, and everything else that Slack calls a message. */
export const slackSubtypes = {
  ...each(words, 'file_share', 'me_message', 'thread_broadcast'),
  ...each(
    change,
    ...([
      'bot_message',
      'channel_archive',
      'channel_join',
      'channel_leave',
      'channel_name',
      'channel_purpose',
      'channel_posting_permissions',
      'channel_topic',
      'channel_unarchive',
      'ekm_access_denied',
      'message_changed',
      'message_deleted',
      'message_replied',
      'assistant_app_thread',
      'bot_add',
      'bot_remove',
      'huddle_thread',
      'channel_convert_to_private',
      'document_mention',
      'file_comment',
      'file_mention',
      'group_archive',
      'group_join',
      'group_leave',
      'group_name',
      'group_purpose',
      'group_topic',
      'group_unarchive',
      'pinned_item',
      'reminder_add',
      'reply_broadcast',
      'sh_room_created',
      'unpinned_item',
    ] as const),
  ),
} satisfies Record<NonNullable<AllMessageEvents['subtype']>, MessageKind>

/** All kinds, in the order of the guide. */
export const slackKinds = {
  ...slackFields,
  ...slackAttachments,
  ...slackFiles,
  ...slackBlocks,
  ...slackSubtypes,
} satisfies Record<string, MessageKind>
