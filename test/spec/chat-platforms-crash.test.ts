import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DaemonProcess } from '../support/daemon-process.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { crashTimeout, logsIfFailed } from '../support/logs-if-failed.ts'
import { SlackDouble } from '../support/slack-double.ts'
import { isBrief } from '../support/tier.ts'
import { createWorld, type World } from '../support/world.ts'

const checkpoints = ['fetched', 'taken', 'sending', 'sent', 'edited'] as const
const platforms = [
  ['discord', isBrief ? (['fetched'] as const) : checkpoints],
  ['slack', isBrief ? (['edited'] as const) : checkpoints],
] as const

/** The daemon that continues after one crash is the one that crashes next. */
describe.each(platforms)('%s', (platform, deadly) => {
  const from = platform === 'slack' ? 'U0ADA42' : '100000000000000042'
  let chat: SlackDouble | DiscordDouble
  let world: World
  let daemon: DaemonProcess
  let messages = 0
  const rows = (sql: string): unknown[] => {
    using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
    return database.prepare(sql).all()
  }

  beforeAll(async () => {
    chat = await (platform === 'slack' ? SlackDouble.start() : DiscordDouble.start())
    world = await createWorld({
      claude: 'fake',
      script: () => ({ text: 'The answer.' }),
      teams: { backend: {} },
    })
    const { entry, files } = chat.config()
    for (const [file, token] of Object.entries(files)) writeFileSync(join(world.home, file), token, { mode: 0o600 })
    world.writeConfig({ channels: { shop: { ...entry, team: 'backend', allow: [from] } } })
    daemon = await DaemonProcess.start(world)
  })
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
    await chat[Symbol.asyncDispose]()
  })

  test.each(deadly)(
    'kill -9 at "%s": one turn, and one message in the chat',
    async (checkpoint) => {
      const daemons = logsIfFailed()
      daemons.push(daemon)
      await chat.until(() => chat.isConnected, 'the bot is connected')
      await eventually(() => rows('SELECT 1 FROM channel_cursors').length === 1, 'it has a cursor')
      daemon.dieAt(`chat-${checkpoint}`)
      chat.say('a question', { from })
      messages += 1
      expect(await daemon.ended()).toBe('SIGKILL')

      daemon = await DaemonProcess.start(world)
      daemons.push(daemon)
      await eventually(
        () => rows(`SELECT 1 FROM channel_posts WHERE state = 'posted'`).length === messages,
        'the answer is posted',
      )
      const each = <T>(value: T): T[] => Array.from({ length: messages }, () => value)
      expect(chat.posts.map(({ text }) => text)).toEqual(each('The answer.'))
      expect(rows('SELECT state, outcome FROM turns')).toEqual(each({ state: 'settled', outcome: 'completed' }))
      expect(rows('SELECT state FROM channel_messages')).toEqual(each({ state: 'answered' }))
    },
    crashTimeout,
  )
})
