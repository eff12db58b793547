import { expect, test } from 'vitest'
import { channelLines } from '../../src/features/channels/commands/channels.ts'
import { callTool } from '../support/call-tool.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { eventually } from '../support/eventually.ts'
import type { Script } from '../support/fake-claude.ts'
import { Stage } from '../support/stage.ts'

const script = (file: (name: string) => string): Script => ({
  rules: [
    { when: 'slow', steps: [{ partial: 'half ' }, { waitForFile: file('gate') }, { text: 'whole' }] },
    { when: 'last', steps: [{ text: 'Bye.' }] },
    { when: 'again', steps: [{ text: 'Yes, again.' }] },
    { steps: [{ text: 'Yes.' }] },
  ],
})

async function talk(platform: (typeof chatPlatforms)[number]) {
  const stack = new AsyncDisposableStack()
  const chat = stack.use(await ChatPlace.start(platform))
  const stage = stack.use(await Stage.start({ script }))
  chat.join(stage.iris.world)
  await chat.listens()
  const { iris, fake, clock } = stage
  return { chat, iris, fake, clock, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test.each(chatPlatforms)(
  'an answer whose message cannot be edited on %s comes once, as a message of its own',
  async (platform) => {
    await using talking = await talk(platform)
    const { chat } = talking
    chat.fails('edit', '403', 50)
    chat.say('hello')
    await chat.posted((text) => text === 'Yes.', 'the answer')
    chat.say('and now?')
    await chat.double.until(() => chat.texts.filter((text) => text === 'Yes.').length === 2, 'the second answer')
    expect(chat.texts).toEqual(['Received.', 'Yes.', 'Yes.'])
  },
)

test.each(chatPlatforms)(
  'an answer that comes as a message of its own on %s comes once, even where the connection breaks as it is posted',
  async (platform) => {
    await using talking = await talk(platform)
    const { chat, clock, fake } = talking
    const posted = (said: string) =>
      eventually(async () => {
        await clock.jump(2000)
        return chat.texts.includes(said)
      }, `${said} is posted`)
    chat.fails('edit', '403', 50)
    chat.say('slow')
    await chat.posted((text) => text === 'Received.', 'a message for the answer')
    chat.fails('post', 'drop')
    fake.open('gate')
    await posted('half whole')
    chat.say('hello')
    await posted('Yes.')
    // This one has no message that could be edited from the beginning.
    chat.fails('post', 'drop')
    chat.say('again')
    await posted('Yes, again.')
    chat.say('the last one')
    await posted('Bye.')
    expect(chat.texts).toEqual(['Received.', 'half whole', 'Yes.', 'Yes, again.', 'Bye.'])
  },
)

test.each(chatPlatforms)('where %s takes no post, the agent stops: nobody could read its answer', async (platform) => {
  await using talking = await talk(platform)
  const { chat, iris } = talking
  chat.fails('post', '403')
  chat.say('slow')
  expect(await iris.event('turn-settled')).toMatchObject({ outcome: 'cancelled' })
  const lines = async (): Promise<string> => {
    const found = await callTool({ port: iris.port, token: iris.world.owner() }, 'list_channels')
    return channelLines(found as unknown as Parameters<typeof channelLines>[0]).join('\n')
  }
  const failed = `failed    in ${platform}:[\\w/]+: \\w.+ \\(1 post, the last at .+`
  expect(await lines()).toMatch(new RegExp(`${failed}; nothing arrived there since\\)`))
  chat.say('hello')
  await chat.posted((text) => text === 'Yes.', 'a later answer, once posting is allowed again')
  expect(chat.texts).toEqual(['Yes.'])
  chat.say('again')
  await chat.posted((text) => text === 'Yes, again.', 'one after that')
  expect(await lines()).toMatch(new RegExp(`${failed}; later ones arrived\\)`))
})
