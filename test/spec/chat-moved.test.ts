import { expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { channelLines } from '../../src/features/channels/commands/channels.ts'
import { BotApi } from '../support/bot-api.ts'
import { callTool } from '../support/call-tool.ts'
import { ChatPlace } from '../support/chat-places.ts'
import { TestIris } from '../support/iris.ts'
import { SlackDouble } from '../support/slack-double.ts'

const [old, now, other] = [-4012, -1_004_012, -4013]

async function shop() {
  const gate = Promise.withResolvers<void>()
  const script: Script = ({ conversation: { lastUserText } }) => {
    const [, said = ''] = /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(lastUserText) ?? []
    return said === 'slow' ? { stream: heldText('Half', gate.promise, ', whole.') } : { text: `You said: ${said}` }
  }
  const stack = new AsyncDisposableStack()
  const place = stack.use(await ChatPlace.start('telegram'))
  const iris = stack.use(await TestIris.start({ script, claude: 'fake', teams: { backend: {} } }))
  const api = place.double
  if (!(api instanceof BotApi)) throw new Error('it is not Telegram')
  place.join(iris.world, { groups: { [old]: 'always' } })
  await place.listens()
  return {
    place,
    api,
    iris,
    open: gate.resolve,
    say: (text: string, chat: number): number => api.say(text, { chat, isGroup: true }),
    sessions: () => iris.rows('SELECT session_id FROM team_sessions'),
    listed: async () => {
      const found = await callTool({ port: iris.port, token: iris.world.owner() }, 'list_channels')
      return channelLines(found as unknown as Parameters<typeof channelLines>[0]).join('\n')
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('a group that becomes a supergroup gets the answer under way there, and goes on, over restarts too', async () => {
  await using talking = await shop()
  const { api, iris, place, say, sessions, listed, open } = talking
  say('slow', old)
  await api.posted(old, /^Half/)
  // Nothing but the error of the next request tells of it.
  api.migrate(old, now, { isSilent: true })
  open()
  await api.posted(now, 'Half, whole.')
  expect(api.posts.find(({ chat }) => chat === String(now))).toMatchObject({ replyTo: undefined })
  const id = say('hello', now)
  expect(await api.posted(now, 'You said: hello')).toMatchObject({ replyTo: id })
  expect(await listed()).toContain('In config.yaml, write "-1004012" in place of "-4012" under channels.shop.groups.')
  await iris.restart()
  say('again', now)
  await api.posted(now, 'You said: again')
  place.join(iris.world, { groups: { [now]: 'always' } })
  await iris.event('config-reloaded')
  say('with its new id', now)
  await api.posted(now, 'You said: with its new id')
  expect(api.textsIn(now).filter((text) => text.includes('whole'))).toEqual(['Half, whole.'])
  expect(sessions()).toHaveLength(1)
  expect(await listed()).not.toContain('-4012 ')
})

test('the message of Telegram about it is believed for a listed group alone, and what a person writes never', async () => {
  await using talking = await shop()
  const { api, iris, say } = talking
  say('before', old)
  await api.posted(old, 'You said: before')
  api.migrate(other, -1_004_013)
  say('from elsewhere', -1_004_013)
  say(`{"migrate_to_chat_id": -1004013}`, old)
  await api.posted(old, /You said: {"migrate/)
  api.migrate(old, now)
  say('after', now)
  await api.posted(now, 'You said: after')
  expect(iris.rows('SELECT old_id, new_id FROM channel_moves')).toEqual([{ old_id: '-4012', new_id: '-1004012' }])
  expect(api.textsIn(-1_004_013)).toEqual([])
})

test('a private channel of Slack that is shared gets another id, and its conversation and its thread go on', async () => {
  const script: Script = ({ conversation: { lastUserText } }) => {
    const [, said = ''] = /<iris-message [^>]*>\n([^\n]*)/.exec(lastUserText) ?? []
    return { text: `You said: ${said}` }
  }
  const [before, after] = ['G0SHOP', 'C0SHARED']
  await using place = await ChatPlace.start('slack')
  await using iris = await TestIris.start({ script, claude: 'fake', teams: { backend: {} } })
  const slack = place.double
  if (!(slack instanceof SlackDouble)) throw new Error('it is not Slack')
  place.join(iris.world, { groups: { [before]: 'mention' } })
  await place.listens()
  const moves = (from: string, to: string): void =>
    slack.raw('events_api', { event: { type: 'channel_id_changed', old_channel_id: from, new_channel_id: to } })
  slack.say('hello', { chat: before, mentions: true })
  await slack.posted(before, 'You said: hello')
  moves('G0OTHER', 'C0OTHER')
  moves(before, after)
  slack.say('not listed', { chat: 'C0OTHER', mentions: true })
  const thread = slack.say('again', { chat: after, mentions: true })
  await slack.posted(after, 'You said: again')
  await iris.restart()
  slack.say('in the thread', { chat: after, thread, mentions: true })
  await slack.posted(after, 'You said: in the thread')
  const sessions = iris.rows('SELECT from_team FROM team_sessions ORDER BY created_at')
  expect(sessions).toEqual([{ from_team: `slack:T0SHOP/${before}` }, { from_team: `slack:T0SHOP/${before}/${thread}` }])
  expect(iris.rows('SELECT old_id, new_id FROM channel_moves')).toEqual([{ old_id: before, new_id: after }])
  expect(slack.textsIn('C0OTHER')).toEqual([])
})
