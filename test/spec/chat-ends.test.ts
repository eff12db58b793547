import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callTool } from '../support/call-tool.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'

/** discord.js never ended a connection that waited for one of these: Iris could not stop, nor follow config.yaml. */
test.each(['HELLO', 'READY'] as const)(
  'a channel ends while Discord owes it a %s: the next one gets the token, and the former one does not come back',
  async (owed) => {
    await using chat = await DiscordDouble.start()
    await using iris = await TestIris.start({ teams: { backend: {} } })
    const { entry, files } = chat.config()
    for (const [file, token] of Object.entries(files))
      writeFileSync(join(iris.world.home, file), token, { mode: 0o600 })
    const channel = { ...entry, team: 'backend', allow: ['100000000000000042'] }

    chat.withholds = owed
    iris.world.writeConfig({ channels: { former: channel } })
    const isWaiting = (): boolean => (owed === 'HELLO' ? chat.accepted : chat.begun.length) === 1
    await eventually(isWaiting, `it waits for ${owed}`)

    chat.withholds = undefined
    iris.world.writeConfig({ channels: { next: channel } })
    await eventually(async () => {
      const caller = { port: iris.port, token: iris.world.owner() }
      return JSON.stringify(await callTool(caller, 'list_channels')).includes('"connected"')
    }, 'the next channel is connected')
    await eventually(() => chat.sockets.size === 1, 'the former one is gone')
    expect(chat.accepted).toBe(2)

    chat.withholds = owed
    chat.lose(true)
    await eventually(() => chat.accepted > 2 && chat.isConnected, 'it connects again')
    await iris.daemon.stop(0)
    await eventually(() => chat.sockets.size === 0, 'nothing is connected')
  },
)
