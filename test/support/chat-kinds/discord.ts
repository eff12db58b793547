import type { Json } from '../chat-double.ts'
import type { Part, Platform } from './made.ts'

const carol = { id: '200000000000000077', username: 'carol', global_name: 'Carol', discriminator: '0' }
const file = (filename: string): Json => ({ id: '1', filename, size: 7, url: `https://cdn.discordapp.com/${filename}` })
const sticker = { id: '1', name: 'Wave', format_type: 1 }
const poll = { question: { text: 'Tea?' }, answers: [], expiry: null, allow_multiselect: false, layout_type: 1 }
const button = { type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: 'x' }] }
const embed = (type: string, description: string): Json => ({ type, title: 'A title', description })

/** By their numbers: joins, pins, calls, threads, commands and the like. */
const notices = [1, 3, 4, 6, 7, 8, 12, 18, 20, 21, 23, 24, 36, 46, 99]

const unread: Readonly<Record<string, readonly [value: unknown, says: string]>> = {
  sticker_items: [[sticker], 'sticker'],
  stickers: [[sticker], 'sticker'],
  poll: [poll, 'poll'],
  activity: [{ type: 1, party_id: 'x' }, 'invitation to an activity'],
  shared_client_theme: [{ colors: ['#fff'], gradient_angle: 0, base_mix: 1 }, 'theme'],
  components: [[button], 'buttons'],
}

/** Messages in direct messages or, with `isHidden`, where Discord shows only those that name the bot. */
export const discordMessages: Platform = {
  parts: (mark) => [
    ...Object.entries(unread).map(([kind, [value, says]]): Part => ({ kind, fields: { [kind]: value }, says })),
    ...notices.map((type): Part => ({ kind: `type ${type}`, fields: { type }, isNotice: true })),
    ...files(mark),
    ...replies(mark),
    ...forwards(mark),
    // The preview of a link among the words.
    {
      kind: 'embeds',
      fields: { written: 'https://shop.example', embeds: [embed('article', 'preview')] },
      isEnough: true,
    },
    masked(mark()),
  ],
  message(number, words, parts) {
    const { written, ...fields } = Object.assign({}, ...parts.map((one) => one.fields)) as Json
    return {
      id: String(1_000_000_000_000_000_000n + BigInt(number) * 4_194_304n),
      channel_id: String(7_000 + number),
      type: 0,
      author: { ...carol, id: String(300_000 + number), username: 'ada', global_name: 'Ada' },
      mentions: [],
      mention_roles: [],
      attachments: [],
      embeds: [],
      pinned: false,
      tts: false,
      reactions: [],
      content: [words, written].filter(Boolean).join(' '),
      ...fields,
    }
  },
}

function files(mark: () => string): Part[] {
  const [one, other, voice] = [`${mark()}.png`, `${mark()}.pdf`, `${mark()}.ogg`]
  return [
    { kind: 'attachments', fields: { attachments: [file(one), file(other)] }, files: [one, other], isEnough: true },
    {
      kind: 'attachments',
      fields: { attachments: [{ ...file(voice), duration_secs: 3 }], flags: 8192 },
      files: [voice],
      isEnough: true,
    },
  ]
}

function replies(mark: () => string): Part[] {
  const reply = { type: 19, message_reference: { type: 0, message_id: '1', channel_id: '1' } }
  const replied = (more: Json): Json => ({ id: '1', channel_id: '1', type: 0, author: carol, content: '', ...more })
  const to = (referenced_message: unknown): Json => ({ ...reply, referenced_message })
  const part = { kind: 'referenced_message' }
  const [text, posted] = [mark(), mark()]
  return [
    { ...part, fields: to(replied({ content: text })), reads: [text, 'Carol', carol.id] },
    { ...part, fields: to(replied({ embeds: [embed('rich', posted)] })), reads: [posted, 'A title'] },
    { ...part, fields: to(replied({ attachments: [file('a.png')] })), says: 'files in the message that is replied to' },
    { ...part, fields: to(replied({ sticker_items: [sticker] })), says: 'sticker in the message that is replied to' },
    { ...part, fields: to(null), says: 'which is deleted' },
    { ...part, fields: reply, says: 'the message that is replied to' },
  ]
}

function forwards(mark: () => string): Part[] {
  const snapshot = (message: Json): Json => ({
    message_reference: { type: 1, message_id: '1', channel_id: '1' },
    message_snapshots: [{ message: { type: 0, content: '', mentions: [], timestamp: '2026-01-01', ...message } }],
  })
  const [text, name] = [mark(), `${mark()}.png`]
  const kind = 'message_snapshots'
  return [
    { kind, fields: snapshot({ content: text }), reads: [text], isEnough: true },
    { kind, fields: snapshot({ attachments: [file(name)] }), files: [name], isEnough: true },
    { kind, fields: snapshot({ sticker_items: [sticker] }), says: 'sticker' },
    { kind, fields: snapshot({ poll }), says: 'poll' },
  ]
}

function masked(at: string): Part {
  const written = `[here](https://shop.example/${at})`
  return { kind: 'content', fields: { written }, reads: [written], isEnough: true }
}
