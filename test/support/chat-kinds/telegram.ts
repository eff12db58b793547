import type { Json } from '../chat-double.ts'
import type { Part, Platform } from './made.ts'

const person = (id: number, first_name: string): Json => ({ id, is_bot: false, first_name })
const file = (name: string): Json => ({ file_id: name, file_unique_id: name, file_size: 7, file_name: name })
const voice = { ...file('v.ogg'), duration: 3 }
const chat = { id: -500, type: 'supergroup', title: 'Another group' }
const channel = { id: -600, type: 'channel', title: 'News' }
const money = { currency: 'XTR', total_amount: 1, invoice_payload: 'x' }
const user = { type: 'user', sender_user: person(77, 'Carol'), date: 1 }

/** Contents that Iris does not read: a payload as the Bot API has it, and a word by which the chat says so. */
const unread: Readonly<Record<string, readonly [value: unknown, says: string]>> = {
  rich_message: [{ blocks: [{ type: 'paragraph', text: 'rich' }] }, 'rich message'],
  audio: [{ ...file('a.mp3'), duration: 3 }, 'audio file'],
  paid_media: [{ star_count: 5, paid_media: [{ type: 'preview' }] }, 'paid media'],
  sticker: [
    { ...file('s.webp'), type: 'regular', width: 1, height: 1, is_animated: false, is_video: false },
    'sticker',
  ],
  story: [{ chat: channel, id: 1 }, 'story'],
  video: [{ ...file('v.mp4'), duration: 3, width: 1, height: 1 }, 'video'],
  video_note: [{ ...file('n.mp4'), duration: 3, length: 1 }, 'video message'],
  voice: [voice, 'voice message'],
  contact: [{ phone_number: '+49', first_name: 'Dora' }, 'contact'],
  dice: [{ emoji: '🎲', value: 6 }, 'dice'],
  game: [{ title: 'Tetris', description: 'x', photo: [] }, 'game'],
  poll: [{ id: '1', question: 'Tea?', options: [{ text: 'Yes', voter_count: 0 }], is_closed: false }, 'poll'],
  location: [{ latitude: 52.5, longitude: 13.4 }, 'location'],
  checklist: [{ title: 'Shopping', tasks: [{ id: 1, text: 'Milk' }] }, 'checklist'],
  invoice: [{ title: 'Tea', description: 'x', start_parameter: 'x', ...money }, 'invoice'],
  giveaway: [{ chats: [channel], winners_selection_date: 1, winner_count: 1 }, 'giveaway'],
  giveaway_winners: [{ chat: channel, giveaway_message_id: 1, winner_count: 1, winners: [] }, 'giveaway'],
  passport_data: [{ data: [], credentials: { data: 'x', hash: 'x', secret: 'x' } }, 'Telegram Passport'],
  web_app_data: [{ data: '{}', button_text: 'Send' }, 'web app'],
  users_shared: [{ request_id: 1, users: [{ user_id: 7 }] }, 'shared people'],
  chat_shared: [{ request_id: 1, chat_id: -7 }, 'shared chat'],
  reply_to_story: [{ chat: channel, id: 2 }, 'story that is replied to'],
  reply_to_checklist_task_id: [3, 'which task'],
  reply_to_poll_option_id: ['4', 'which option'],
}

const captioned = new Set(['audio', 'voice', 'video', 'paid_media'])

const notices: Readonly<Record<string, unknown>> = {
  new_chat_members: [person(78, 'Eve')],
  left_chat_member: person(78, 'Eve'),
  new_chat_title: 'Tea',
  pinned_message: { message_id: 1, date: 0, chat },
  forum_topic_created: { name: 'Orders', icon_color: 1 },
  video_chat_started: {},
  gift: { gift: { id: '1' } },
  successful_payment: money,
  checklist_tasks_done: { marked_as_done_task_ids: [1] },
  boost_added: { boost_count: 1 },
}

/** Messages as the Bot API describes them. */
export const telegramMessages: Platform = {
  parts: (mark) => [
    ...Object.entries(unread).map(([kind, [value, says]]): Part => {
      const fields = { [kind]: value }
      return { kind, fields, says, ...(captioned.has(kind) && { hasCaption: true }) }
    }),
    ...Object.entries(notices).map(([kind, value]): Part => ({ kind, fields: { [kind]: value }, isNotice: true })),
    ...files(mark),
    ...references(mark),
    ...forwards(mark),
    link('text_link', mark()),
  ],
  message(number, words, parts) {
    const fields = Object.assign({}, ...parts.map((one) => one.fields)) as Json
    const isCaption = parts.some(({ hasCaption }) => hasCaption)
    const said = [words, fields['written']].filter(Boolean).join(' ')
    const { written: _written, links, ...others } = fields
    const offset = said.length - String(fields['written'] ?? '').length
    const entities = (links as Json[] | undefined)?.map((one) => ({ ...one, offset }))
    return {
      message_id: number + 1,
      date: 1,
      chat: { id: 1000 + number, type: 'private' },
      from: person(1000 + number, 'Ada'),
      ...others,
      ...(said !== '' && { [isCaption ? 'caption' : 'text']: said }),
      ...(entities !== undefined && { [isCaption ? 'caption_entities' : 'entities']: entities }),
    }
  },
}

function files(mark: () => string): Part[] {
  const [name, gif, live] = [`${mark()}.pdf`, file('g.mp4'), [{ file_id: 'live' }]]
  const venue = { location: { latitude: 1, longitude: 2 }, title: 'Shop', address: 'Street 1' }
  return [
    {
      kind: 'photo',
      fields: { photo: [{ file_id: 'small' }, { file_id: 'large' }] },
      files: ['picture'],
      hasCaption: true,
      isEnough: true,
    },
    { kind: 'document', fields: { document: file(name) }, files: [name], hasCaption: true, isEnough: true },
    // For bots that do not know them, these come as another kind too.
    { kind: 'animation', fields: { animation: gif, document: gif }, says: 'GIF', hasCaption: true },
    {
      kind: 'live_photo',
      fields: { live_photo: { photo: live }, photo: live },
      files: ['picture'],
      says: 'moving part',
      hasCaption: true,
      isEnough: true,
    },
    { kind: 'venue', fields: { venue, location: venue.location }, says: 'venue' },
  ]
}

/** Replies, with the message that they reply to. */
function references(mark: () => string): Part[] {
  const replied = (more: Json): Json => ({ message_id: 1, date: 1, chat, from: person(77, 'Carol'), ...more })
  const [text, part, other, caption] = [mark(), mark(), mark(), mark()]
  return [
    { kind: 'reply_to_message', fields: { reply_to_message: replied({ text }) }, reads: [text, 'Carol', '77'] },
    {
      kind: 'reply_to_message',
      fields: { reply_to_message: replied({ voice, caption }) },
      reads: [caption],
      says: 'voice message in the message that is replied to',
    },
    {
      kind: 'reply_to_message',
      fields: { reply_to_message: replied({ photo: [{ file_id: 'p' }] }) },
      says: 'picture in the message that is replied to',
    },
    {
      kind: 'quote',
      fields: { reply_to_message: replied({ text: `before ${part} after` }), quote: { text: part, position: 7 } },
      reads: [part, `before ${part} after`],
    },
    {
      kind: 'external_reply',
      fields: { external_reply: { origin: user, chat, message_id: 1 }, quote: { text: other, position: 0 } },
      reads: [other, 'Carol'],
    },
    { kind: 'external_reply', fields: { external_reply: { origin: user } }, says: 'message of another chat' },
    { kind: 'external_reply', fields: { external_reply: { origin: user, voice } }, says: 'voice message in' },
  ]
}

function forwards(mark: () => string): Part[] {
  const [hidden, group] = [`Hidden ${mark()}`, { ...chat, title: `Group ${mark()}` }]
  const origins: readonly (readonly [origin: Json, author: string])[] = [
    [user, 'Carol'],
    [{ type: 'hidden_user', sender_user_name: hidden, date: 1 }, hidden],
    [{ type: 'chat', sender_chat: group, date: 1 }, group.title],
    [{ type: 'channel', chat: channel, message_id: 1, date: 1 }, 'News'],
  ]
  return origins.map(([origin, author]) => {
    const written = `${mark()} is forwarded`
    return {
      kind: 'forward_origin',
      fields: { forward_origin: origin, written },
      reads: [written, author],
      isEnough: true,
    }
  })
}

function link(type: string, at: string): Part {
  const url = `https://shop.example/${at}`
  return {
    kind: 'entities',
    fields: { written: 'here', links: [{ type, length: 4, url }] },
    reads: [`[here](${url})`],
    isEnough: true,
  }
}
