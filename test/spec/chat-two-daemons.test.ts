import { expect, test } from 'vitest'
import { callTool } from '../support/call-tool.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { firstIn } from '../support/tier.ts'
import { createWorld, type World } from '../support/world.ts'

const script = () => ({ text: 'The answer.' })

interface Link {
  readonly state: string
  readonly why?: string
}

async function linkOf({ port, owner }: DaemonProcess): Promise<Link | undefined> {
  const { channels } = await callTool({ port, token: owner }, 'list_channels')
  return (channels as { link: Link }[])[0]?.link
}

const linked = (daemon: DaemonProcess, state: string) =>
  eventually(async () => (await linkOf(daemon))?.state === state, `the bot is ${state}`)

async function worldIn(chat: ChatPlace): Promise<World> {
  const world = await createWorld({ claude: 'fake', script, teams: { backend: {} } })
  chat.join(world)
  return world
}

/** The world of another user or machine: its locks are elsewhere. */
function elsewhere(world: World): World {
  return { ...world, env: { ...world.env, XDG_RUNTIME_DIR: world.root } }
}

test.each(firstIn(chatPlatforms))(
  '%s: a second daemon in a process of its own is refused with the pid of the first, and is next when that dies',
  async (platform) => {
    await using chat = await ChatPlace.start(platform)
    await using one = await worldIn(chat)
    await using two = await worldIn(chat)
    await using first = await DaemonProcess.start(one)
    await linked(first, 'connected')
    await using second = await DaemonProcess.start(two)
    await linked(second, 'refused')
    expect((await linkOf(second))?.why).toBe(
      `the daemon with the pid ${first.pid} has a connection for this token already`,
    )
    chat.say('a question')
    await chat.posted((text) => text === 'The answer.', 'it is answered')
    expect(chat.texts).toEqual(['The answer.'])

    await first.kill()
    await second.kill()
    await using third = await DaemonProcess.start(two)
    await linked(third, 'connected')
  },
)

test('Telegram: a daemon on another machine is refused by the platform, in words', async () => {
  await using chat = await ChatPlace.start('telegram')
  await using one = await worldIn(chat)
  await using two = await worldIn(chat)
  await using first = await DaemonProcess.start(one)
  await linked(first, 'connected')
  await using second = await DaemonProcess.start(elsewhere(two))
  const theirs = /^another program is reading this bot's updates \(.*terminated by other getUpdates request/
  const refused = await eventually(async () => {
    const links = [await linkOf(first), await linkOf(second)]
    return links.find((link) => link?.state === 'refused')
  }, 'one of them is refused')
  expect(refused.why).toMatch(theirs)
})
