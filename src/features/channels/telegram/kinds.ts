import type { Message } from 'grammy/types'
import { about, each, event, type MessageKind, quoted, refused, taken } from '../message-kinds.ts'

const words = taken('words, with the addresses behind links and the ids behind names')
const picture = taken('a picture', 'in the largest size')
const metadata = about('where, when, by whom and how it was sent, and its effects, previews and buttons')
const change = event(
  'notices of Telegram: members, titles, pictures, topics, calls, gifts, payments, giveaways and the like',
)

/** Every field of a message of the Bot API, and what becomes of it. A new one of grammY's fails the check of types. */
export const telegramKinds = {
  ...each(words, 'text', 'entities', 'caption', 'caption_entities'),
  photo: picture,
  document: taken('a file', 'if the role reads such files; else the message is refused'),
  forward_origin: quoted('a forwarded message', 'with its author: its words are not those of the asker'),
  reply_to_message: quoted('the message that is replied to', 'with its author. Its files are not read'),
  quote: quoted('the part of it that somebody quotes'),
  external_reply: quoted(
    'a reply to a message of another chat',
    'with its author: the marked part alone, since Telegram gives no more',
  ),
  ...{
    reply_to_story: refused('the story that is replied to'),
    reply_to_checklist_task_id: refused('which task is replied to'),
    reply_to_poll_option_id: refused('which option of the poll is replied to'),
    rich_message: refused('a rich message'),
    animation: refused('a GIF'),
    audio: refused('an audio file'),
    live_photo: refused('the moving part of a live photo', 'its picture is read'),
    paid_media: refused('paid media'),
    sticker: refused('a sticker'),
    story: refused('a story'),
    video: refused('a video'),
    video_note: refused('a video message'),
    voice: refused('a voice message'),
    contact: refused('a contact'),
    dice: refused('a dice'),
    game: refused('a game'),
    poll: refused('a poll'),
    venue: refused('a venue'),
    location: refused('a location'),
    checklist: refused('a checklist'),
    invoice: refused('an invoice'),
    ...each(refused('a giveaway'), 'giveaway', 'giveaway_winners'),
    passport_data: refused('data of Telegram Passport'),
    web_app_data: refused('data of a web app'),
    users_shared: refused('shared people'),
    chat_shared: refused('a shared chat'),
  },
  ...each(
    metadata,
    ...([
      ...['message_id', 'message_thread_id', 'from', 'sender_chat', 'date', 'guest_query_id', 'business_connection_id'],
      ...['chat', 'is_topic_message', 'direct_messages_topic', 'sender_tag', 'receiver_user', 'ephemeral_message_id'],
      ...['sender_boost_count', 'sender_business_bot', 'is_automatic_forward', 'is_paid_post', 'via_bot'],
      ...['guest_bot_caller_user', 'guest_bot_caller_chat', 'edit_date', 'has_protected_content'],
      ...['show_caption_above_media', 'is_from_offline', 'author_signature', 'link_preview_options', 'effect_id'],
      ...['paid_star_count', 'reply_markup', 'media_group_id', 'has_media_spoiler', 'suggested_post_info'],
    ] as const),
  ),
  ...each(
    change,
    ...([
      ...['checklist_tasks_done', 'checklist_tasks_added', 'community_chat_added', 'community_chat_removed'],
      ...['suggested_post_approved', 'suggested_post_approval_failed', 'suggested_post_declined'],
      ...['suggested_post_paid', 'suggested_post_refunded', 'chat_owner_left', 'chat_owner_changed'],
      ...['new_chat_members', 'community_chat_joined', 'left_chat_member', 'new_chat_title', 'new_chat_photo'],
      ...['delete_chat_photo', 'group_chat_created', 'supergroup_chat_created', 'channel_chat_created'],
      ...['managed_bot_created', 'poll_option_added', 'poll_option_deleted', 'message_auto_delete_timer_changed'],
      ...['migrate_to_chat_id', 'migrate_from_chat_id', 'pinned_message', 'successful_payment', 'refunded_payment'],
      ...['connected_website', 'write_access_allowed', 'proximity_alert_triggered', 'boost_added'],
      ...['chat_background_set', 'forum_topic_created', 'forum_topic_edited', 'forum_topic_closed'],
      ...['forum_topic_reopened', 'general_forum_topic_hidden', 'general_forum_topic_unhidden', 'giveaway_created'],
      ...['giveaway_completed', 'gift', 'gift_upgrade_sent', 'unique_gift'],
      ...['paid_message_price_changed', 'direct_message_price_changed', 'video_chat_scheduled'],
      ...['video_chat_started', 'video_chat_ended', 'video_chat_participants_invited'],
    ] as const),
  ),
} satisfies Record<keyof Message, MessageKind>
