import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { BotApi } from '../support/bot-api.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { crashTimeout, logsIfFailed } from '../support/logs-if-failed.ts'
import { isStandard } from '../support/tier.ts'
import { createWorld } from '../support/world.ts'

const points = ['fetched', 'taken', 'sending', 'sent', 'reserved', 'edited'] as const

test.each(isStandard ? (['sent'] as const) : points)(
  'kill -9 at "%s": one turn, and one answer in the chat',
  async (checkpoint) => {
    await using api = await BotApi.start()
    await using world = await createWorld({ script: () => ({ text: 'The answer.' }), teams: { backend: {} } })
    const tokenFile = join(world.home, 'telegram-token')
    writeFileSync(tokenFile, api.token, { mode: 0o600 })
    const shop = { platform: 'telegram', tokenFile, team: 'backend', apiRoot: api.url, allow: [42] }
    world.writeConfig({ channels: { shop } })
    const rows = (sql: string): unknown[] => {
      using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
      return database.prepare(sql).all()
    }
    const daemons = logsIfFailed()
    await using first = await DaemonProcess.start(world, `chat-${checkpoint}`)
    daemons.push(first)
    await api.listens()
    api.say('a question')
    expect(await first.ended()).toBe('SIGKILL')

    await using second = await DaemonProcess.start(world)
    daemons.push(second)
    await eventually(
      () => rows(`SELECT 1 FROM channel_posts WHERE state = 'posted'`).length === 1,
      'the answer is posted',
    )
    expect(api.textsIn(42).filter((text) => text.includes('The answer.'))).toHaveLength(1)
    // Killed while it was sent there may be a post without words beside it, and nothing else.
    expect(api.textsIn(42).filter((text) => !text.includes('The answer.'))).toEqual(checkpoint === 'sent' ? ['…'] : [])
    expect(rows('SELECT state, outcome FROM turns')).toEqual([{ state: 'settled', outcome: 'completed' }])
    expect(rows('SELECT state FROM channel_messages')).toEqual([{ state: 'answered' }])
  },
  crashTimeout,
)
