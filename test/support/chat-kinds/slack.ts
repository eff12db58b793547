import type { Json } from '../chat-double.ts'
import type { Part, Platform } from './made.ts'

const file = (name: string, more: Json = {}): Json => ({
  id: 'F1',
  name,
  size: 7,
  mode: 'hosted',
  mimetype: 'image/png',
  url_private_download: `https://files.slack.com/${name}`,
  ...more,
})
const nowhere = { url_private_download: undefined }
const rich = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x' }] }] }]

const notices = [
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
  'huddle_thread',
  'pinned_item',
  'reminder_add',
  'a_new_one',
]

/** Blocks that apps put into messages of people, and a word by which the chat says so. */
const blocks: Readonly<Record<string, string>> = {
  image: 'image of an app',
  video: 'video of an app',
  call: 'call',
  table: 'table',
  data_table: 'table',
  section: 'block of an app',
  header: 'block of an app',
  actions: 'block of an app',
  context: 'block of an app',
  alert: 'block of an app',
  card: 'block of an app',
  carousel: 'block of an app',
  container: 'block of an app',
  context_actions: 'block of an app',
  input: 'block of an app',
  markdown: 'block of an app',
  task_card: 'block of an app',
  plan: 'block of an app',
}

const modes: Readonly<Record<string, string>> = {
  external: 'outside Slack',
  canvas: 'canvas',
  quip: 'canvas',
  list: 'list',
  post: 'post',
  tombstone: 'deleted file',
  hidden_by_limit: 'Slack hides',
}

/** Messages as Slack's events have them. */
export const slackMessages: Platform = {
  parts: (mark) => [
    ...notices.map((subtype): Part => ({ kind: subtype, fields: { subtype }, isNotice: true })),
    ...Object.entries(blocks).map(([type, says]): Part => ({ kind: type, fields: { blocks: [{ type }] }, says })),
    ...Object.entries(modes).map(([mode, says]): Part => {
      return { kind: mode, fields: { subtype: 'file_share', files: [file('a', { mode, ...nowhere })] }, says }
    }),
    {
      kind: 'unavailable',
      fields: { files: [file('a', { ...nowhere, file_access: 'check_file_info' })] },
      says: 'not give',
    },
    ...files(mark),
    ...attachments(mark),
    ...subtypes(mark),
    linked(mark()),
  ],
  message(number, words, parts) {
    const { written, ...fields } = Object.assign({}, ...parts.map((one) => one.fields)) as Json
    const [channel, ts] = [`D${1000 + number}`, `${1_700_000_000 + number}.000100`]
    return {
      type: 'message',
      channel,
      ts,
      event_ts: ts,
      channel_type: 'im',
      user: `U${1000 + number}`,
      team: 'T1',
      text: [words, written].filter(Boolean).join(' '),
      client_msg_id: 'x',
      blocks: rich,
      ...fields,
    }
  },
}

function files(mark: () => string): Part[] {
  const [one, other, clip] = [`${mark()}.png`, `${mark()}.txt`, `${mark()}.m4a`]
  const shared = { subtype: 'file_share' }
  return [
    {
      kind: 'hosted',
      fields: { ...shared, files: [file(one), file(other, { mode: 'snippet' })] },
      files: [one, other],
    },
    { kind: 'hosted', fields: { ...shared, files: [file(clip, { subtype: 'slack_audio' })] }, files: [clip] },
  ].map((part) => ({ ...part, isEnough: true }))
}

function attachments(mark: () => string): Part[] {
  const of = (attachment: Json): Json => ({ attachments: [attachment] })
  const [text, unfurled, posted, name] = [mark(), mark(), mark(), `${mark()}.png`]
  const by = { author_id: 'U0CAROL77', author_name: 'Carol' }
  const fields = [{ title: 'Status', value: posted, short: true }]
  const shared: readonly Part[] = [
    {
      kind: 'shared',
      fields: of({ is_share: true, ...by, text, fallback: text }),
      reads: [text, 'Carol', by.author_id],
    },
    {
      kind: 'shared',
      fields: of({ is_msg_unfurl: true, ...by, text: `see <https://shop.example|${unfurled}>` }),
      reads: [`[${unfurled}](https://shop.example)`, 'Carol'],
    },
    { kind: 'shared', fields: of({ is_share: true, ...by, title: 'Alarm', fields }), reads: [posted, 'Alarm'] },
    { kind: 'shared', fields: of({ is_share: true, ...by, text: '', files: [file(name)] }), files: [name] },
  ]
  return [
    ...shared.map((part) => ({ ...part, isEnough: true as const })),
    {
      kind: 'preview',
      fields: { written: '<https://shop.example>', ...of({ from_url: 'https://shop.example', title: 'Shop' }) },
      reads: ['https://shop.example'],
      isEnough: true,
    },
    { kind: 'other', fields: of({ image_url: 'https://shop.example/a.gif' }), says: 'attachment of an app' },
  ]
}

function subtypes(mark: () => string): Part[] {
  const kinds = ['me_message', 'thread_broadcast', 'file_share']
  return kinds.map((subtype) => {
    const written = mark()
    return { kind: subtype, fields: { subtype, written }, reads: [written], isEnough: true }
  })
}

function linked(at: string): Part {
  const url = `https://shop.example/${at}`
  const written = `<${url}|here> &lt;b&gt; <mailto:ada@shop.example|ada@shop.example>`
  return { kind: 'text', fields: { written }, reads: [`[here](${url}) <b> ada@shop.example`], isEnough: true }
}
