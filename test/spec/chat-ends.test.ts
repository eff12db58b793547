import { createHook } from 'node:async_hooks'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callTool } from '../support/call-tool.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { SlackDouble } from '../support/slack-double.ts'

/** discord.js never ended a connection that waited for one of these: Iris could not stop, nor follow config.yaml. */
test.each(['HELLO', 'READY'] as const)(
  'a channel ends while Discord owes it a %s: the next one gets the token, and the former one does not come back',
  async (owed) => {
    await using chat = await DiscordDouble.start()
    await using iris = await TestIris.start({ claude: 'fake', teams: { backend: {} } })
    const { entry, files } = chat.config()
    for (const [file, token] of Object.entries(files))
      writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
    const channel = { ...entry, team: 'backend', allow: ['100000000000000042'] }

    chat.withholds = owed
    iris.world.writeConfig({ channels: { former: channel } })
    const isWaiting = (): boolean => (owed === 'HELLO' ? chat.accepted : chat.begun.length) === 1
    await chat.until(isWaiting, `it waits for ${owed}`)

    chat.withholds = undefined
    iris.world.writeConfig({ channels: { next: channel } })
    await eventually(async () => {
      const caller = { port: iris.port, token: iris.world.owner() }
      return JSON.stringify(await callTool(caller, 'list_channels')).includes('"connected"')
    }, 'the next channel is connected')
    await chat.until(() => chat.sockets.size === 1, 'the former one is gone')
    expect(chat.accepted).toBe(2)

    chat.withholds = owed
    chat.lose(true)
    await chat.until(() => chat.accepted > 2 && chat.isConnected, 'it connects again')
    await iris.daemon.stop(0)
    await chat.until(() => chat.sockets.size === 0, 'nothing is connected')
  },
)

/** Timers of an hour or more that were set while `run` ran, and that still hold what they were made with. */
async function longTimersLeftBy(run: () => Promise<void>): Promise<number> {
  const timers = new Map<number, { readonly _idleTimeout: number }>()
  const hook = createHook({
    init: (id, type, _trigger, resource) => {
      if (type === 'Timeout') timers.set(id, resource as { readonly _idleTimeout: number })
    },
    destroy: (id) => timers.delete(id),
  }).enable()
  await run()
  await new Promise((resolve) => setImmediate(resolve))
  hook.disable()
  return [...timers.values()].filter(({ _idleTimeout }) => _idleTimeout >= 3_600_000).length
}

test.each(['discord', 'slack'] as const)('a channel of %s that ends leaves no timer behind', async (platform) => {
  await using chat = await (platform === 'discord' ? DiscordDouble : SlackDouble).start()
  await using iris = await TestIris.start({ claude: 'fake', teams: { backend: {} } })
  const { entry, files } = chat.config()
  for (const [file, token] of Object.entries(files)) writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
  const left = await longTimersLeftBy(async () => {
    iris.world.writeConfig({ channels: { shop: { ...entry, team: 'backend' } } })
    await chat.until(() => chat.isConnected, 'the bot is connected')
    await callTool({ port: iris.port, token: iris.world.owner() }, 'test_channel', { channel: 'shop' })
    iris.world.writeConfig()
    await chat.until(() => !chat.isConnected, 'nothing is connected')
    // The daemon has timers of its own.
    await iris.daemon.stop(0)
  })
  expect(left).toBe(0)
})
