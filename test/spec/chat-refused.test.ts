import { expect, test } from 'vitest'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import type { Script } from '../support/fake-claude.ts'
import { Stage } from '../support/stage.ts'

const script = (file: (name: string) => string): Script => ({
  rules: [
    { when: 'slow', steps: [{ partial: 'half' }, { waitForFile: file('gate') }, { text: 'whole' }] },
    { steps: [{ text: 'Yes.' }] },
  ],
})

async function talk(platform: (typeof chatPlatforms)[number]) {
  const stack = new AsyncDisposableStack()
  const chat = stack.use(await ChatPlace.start(platform))
  const stage = stack.use(await Stage.start({ script }))
  chat.join(stage.iris.world)
  await chat.listens()
  return { chat, iris: stage.iris, [Symbol.asyncDispose]: () => stack.disposeAsync() }
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
    expect(chat.texts).toEqual(['…', 'Yes.', 'Yes.'])
  },
)

test.each(chatPlatforms)('where %s takes no post, the agent stops: nobody could read its answer', async (platform) => {
  await using talking = await talk(platform)
  const { chat, iris } = talking
  chat.fails('post', '403')
  chat.say('slow')
  expect(await iris.event('turn-settled')).toMatchObject({ outcome: 'cancelled' })
  chat.say('hello')
  await chat.posted((text) => text === 'Yes.', 'a later answer, once posting is allowed again')
  expect(chat.texts).toEqual(['Yes.'])
})
