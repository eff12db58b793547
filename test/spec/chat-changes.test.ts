import { describe, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { BotApi } from '../support/bot-api.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { TestIris } from '../support/iris.ts'
import { SlackDouble } from '../support/slack-double.ts'

/** A chat whose agent says back what it was asked; about what is slow it says the half until `open`. */
async function talk(platform: (typeof chatPlatforms)[number], claude?: 'fake') {
  const gate = Promise.withResolvers<void>()
  const script: Script = ({ conversation: { lastUserText } }) => {
    const [, said = ''] = /<iris-message [^>]*>\n([\s\S]*)\n<\/iris-message>/.exec(lastUserText) ?? []
    return said === 'slow' ? { stream: heldText('Half', gate.promise, ', whole.') } : { text: `You said: ${said}` }
  }
  const stack = new AsyncDisposableStack()
  const chat = stack.use(await ChatPlace.start(platform))
  const iris = stack.use(await TestIris.start({ script, teams: { backend: {} }, ...(claude && { claude }) }))
  chat.join(iris.world)
  await chat.listens()
  const asked = () => iris.rows('SELECT message FROM turns ORDER BY sequence').map(({ message }) => message)
  return {
    chat,
    iris,
    asked,
    open: gate.resolve,
    /** Writes, and waits until the message has its turn: all that came before it is taken. */
    says: async (text: string): Promise<string> => {
      const id = chat.say(text)
      const isOf = (turnId: string) =>
        iris.rows(`SELECT message FROM turns WHERE id = '${turnId}'`)[0]?.['message'] === text
      await iris.event('turn-accepted', ({ turnId }) => isOf(turnId))
      return id
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const tooLate = /^Too late: the agent already has this message/

describe.each(chatPlatforms)('in a chat of %s', (platform) => {
  test('the agent gets what a waiting message says after its last edit, once', async () => {
    await using talking = await talk(platform, platform === 'telegram' ? undefined : 'fake')
    const { chat, asked, says, open } = talking
    await says('slow')
    await chat.posted((text) => text.startsWith('Half'), 'the agent is at work')
    const waiting = await says('delete all')
    const untouched = await says('as it was')
    chat.edit(waiting, 'delete some')
    chat.edit(waiting, 'do not')
    chat.previews(untouched)
    await says('after')
    expect(asked()).toEqual(['slow', 'do not', 'as it was', 'after'])
    open()
    await chat.posted((text) => text === 'You said: after', 'the last answer')
    const answers = chat.texts.filter((text) => text.startsWith('You said'))
    expect(answers).toEqual(['You said: do not', 'You said: as it was', 'You said: after'])
    expect(chat.texts.filter((text) => tooLate.test(text))).toEqual([])
  })

  test('of an edit that comes after the agent got the message the chat says so, and nothing runs again', async () => {
    await using talking = await talk(platform, 'fake')
    const { chat, asked, says, open } = talking
    const first = await says('slow')
    await chat.posted((text) => text.startsWith('Half'), 'the agent is at work')
    chat.edit(first, 'something else')
    await chat.posted((text) => tooLate.test(text), 'it is too late')
    open()
    const last = await says('now')
    await chat.posted((text) => text === 'You said: now', 'the answer')
    chat.edit(last, 'now!')
    await chat.double.until(() => chat.texts.filter((text) => tooLate.test(text)).length === 2, 'too late as well')
    await says('after')
    await chat.posted((text) => text === 'You said: after', 'the last answer')
    expect(asked()).toEqual(['slow', 'now', 'after'])
  })

  test('a waiting message is withdrawn if an edit leaves a command in it, which no agent sees', async () => {
    await using talking = await talk(platform, 'fake')
    const { chat, says, open } = talking
    await says('slow')
    await chat.posted((text) => text.startsWith('Half'), 'the agent is at work')
    chat.edit(await says('one'), '/new')
    await says('after')
    open()
    await chat.posted((text) => text === '(Withdrawn: a command has to be a new message.)', 'it is withdrawn')
    await chat.posted((text) => text === 'You said: after', 'the last answer')
    expect(chat.texts.filter((text) => text.startsWith('You said'))).toEqual(['You said: after'])
  })

  test.runIf(platform !== 'telegram')('a message that is deleted while it waits never runs', async () => {
    await using talking = await talk(platform, 'fake')
    const { chat, iris, says, open } = talking
    if (chat.double instanceof BotApi) throw new Error('Telegram tells bots nothing of deletions')
    const first = await says('slow')
    await chat.posted((text) => text.startsWith('Half'), 'the agent is at work')
    chat.double.remove(await says('soon gone'))
    chat.double.remove(first)
    await chat.posted((text) => text.startsWith('Too late: the agent already has this message. /stop'), 'it runs')
    await says('after')
    open()
    await chat.posted((text) => text === '(Withdrawn: the message was deleted.)', 'it is withdrawn')
    await chat.posted((text) => text === 'You said: after', 'the last answer')
    expect(chat.texts.filter((text) => text.startsWith('You said'))).toEqual(['You said: after'])
    expect(iris.rows(`SELECT outcome, started_at FROM turns WHERE message = 'soon gone'`)).toEqual([
      { outcome: 'cancelled', started_at: null },
    ])
  })
})

test('Telegram: a message that comes together with its edit is taken as it is now, by an agent that waits for one', async () => {
  await using talking = await talk('telegram', 'fake')
  const { chat, asked, says } = talking
  if (!(chat.double instanceof BotApi)) throw new Error('it is not Telegram')
  await says('first')
  await chat.posted((text) => text === 'You said: first', 'the agent waits')
  const of = { date: 1, chat: { id: 42, type: 'private' }, from: { id: 42, is_bot: false, first_name: 'Ada' } }
  const date = Math.floor(Date.now() / 1000)
  const message = (id: number, text: string) => ({ ...of, date, message_id: id, text })
  const entities = [{ type: 'bot_command', offset: 0, length: 12 }]
  chat.double.numberFrom(1010)
  chat.double.repeat([
    { update_id: 1001, message: message(901, 'delete all') },
    { update_id: 1002, message: message(902, 'for you') },
    { update_id: 1003, message: message(903, 'what is this?') },
    { update_id: 1004, edited_message: { ...message(901, 'do not'), edit_date: date } },
    { update_id: 1005, edited_message: { ...message(902, '/x@other_bot'), entities, edit_date: date } },
    { update_id: 1006, edited_message: { ...message(903, '/stop'), edit_date: date } },
  ])
  await says('after')
  await chat.posted((text) => text === 'You said: after', 'the last answer')
  expect(asked()).toEqual(['first', 'do not', 'after'])
  expect(chat.texts.filter((text) => !text.startsWith('You said'))).toEqual([
    'Not taken: it has no words. Only text, pictures and files are understood here.',
    'Not taken: a command has to be a new message.',
  ])
})

test('Slack: a message that is delivered again after it was deleted never runs, and an edited one as it is now', async () => {
  await using talking = await talk('slack', 'fake')
  const { chat, asked, says } = talking
  if (!(chat.double instanceof SlackDouble)) throw new Error('it is not Slack')
  await says('first')
  const second = Math.floor(Date.now() / 1000)
  const of = (part: string, text: string) => ({
    type: 'message',
    channel: SlackDouble.direct('U0ADA42'),
    user: 'U0ADA42',
    ts: `${second}.${part}`,
    text,
  })
  const [gone, changed] = [of('900001', 'gone'), of('900002', 'delete all')]
  const event = { type: 'message', channel: gone.channel, ts: `${second + 1}.000000` }
  for (const each of [
    { ...event, subtype: 'message_deleted', deleted_ts: gone.ts, previous_message: gone },
    {
      ...event,
      subtype: 'message_changed',
      message: { ...changed, text: 'do not', edited: {} },
      previous_message: changed,
    },
    gone,
    changed,
  ])
    chat.double.raw('events_api', { type: 'event_callback', event: each })
  await says('after')
  expect(asked()).toEqual(['first', 'do not', 'after'])
})
