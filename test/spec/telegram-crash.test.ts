import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BotApi } from '../support/bot-api.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { crashTimeout, logsIfFailed } from '../support/logs-if-failed.ts'
import { isBrief } from '../support/tier.ts'
import { createWorld, type World } from '../support/world.ts'

const points = ['fetched', 'taken', 'sending', 'sent', 'reserved', 'edited'] as const

let api: BotApi
let world: World
/** The daemon that continues after one crash is the one that crashes next. */
let daemon: DaemonProcess
const reached: string[] = []
const rows = (sql: string): unknown[] => {
  using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
  return database.prepare(sql).all()
}

beforeAll(async () => {
  api = await BotApi.start()
  world = await createWorld({ claude: 'fake', script: () => ({ text: 'The answer.' }), teams: { backend: {} } })
  const tokenFile = join(world.home, 'telegram-token')
  writeFileSync(tokenFile, api.token, { mode: 0o600 })
  const shop = { platform: 'telegram', tokenFile, team: 'backend', apiRoot: api.url, allow: [42] }
  world.writeConfig({ channels: { shop } })
  daemon = await DaemonProcess.start(world)
  await api.listens()
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  await api[Symbol.asyncDispose]()
})

test.each(isBrief ? (['sent'] as const) : points)(
  'kill -9 at "%s": one turn, and one answer in the chat',
  async (checkpoint) => {
    const daemons = logsIfFailed()
    daemons.push(daemon)
    daemon.dieAt(`chat-${checkpoint}`)
    api.say('a question')
    reached.push(checkpoint)
    expect(await daemon.ended()).toBe('SIGKILL')

    daemon = await DaemonProcess.start(world)
    daemons.push(daemon)
    await eventually(
      () => rows(`SELECT 1 FROM channel_posts WHERE state = 'posted'`).length === reached.length,
      'the answer is posted',
    )
    expect(api.textsIn(42).filter((text) => text.includes('The answer.'))).toHaveLength(reached.length)
    // Killed while it was sent there may be a post without words beside it, and nothing else.
    expect(api.textsIn(42).filter((text) => !text.includes('The answer.'))).toEqual(
      reached.includes('sent') ? ['Received.'] : [],
    )
    const each = <T>(value: T): T[] => reached.map(() => value)
    expect(rows('SELECT state, outcome FROM turns')).toEqual(each({ state: 'settled', outcome: 'completed' }))
    expect(rows('SELECT state FROM channel_messages')).toEqual(each({ state: 'answered' }))
  },
  crashTimeout,
)
