import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { DaemonProcess } from '../support/daemon-process.ts'
import { DiscordDouble } from '../support/discord-double.ts'
import { eventually } from '../support/eventually.ts'
import { crashTimeout, logsIfFailed } from '../support/logs-if-failed.ts'
import { SlackDouble } from '../support/slack-double.ts'
import { isStandard } from '../support/tier.ts'
import { createWorld } from '../support/world.ts'

const cases = ['fetched', 'taken', 'sending', 'sent', 'edited'].flatMap((checkpoint) => [
  ['discord', checkpoint] as const,
  ['slack', checkpoint] as const,
])

test.each(isStandard ? cases.filter((_, index) => index % 9 === 0) : cases)(
  '%s, kill -9 at "%s": one turn, and one message in the chat',
  async (platform, checkpoint) => {
    await using chat = await (platform === 'slack' ? SlackDouble.start() : DiscordDouble.start())
    await using world = await createWorld({ script: () => ({ text: 'The answer.' }), teams: { backend: {} } })
    const { entry, files } = chat.config()
    for (const [file, token] of Object.entries(files)) writeFileSync(join(world.home, file), token, { mode: 0o600 })
    const from = platform === 'slack' ? 'U0ADA42' : '100000000000000042'
    world.writeConfig({ channels: { shop: { ...entry, team: 'backend', allow: [from] } } })
    const rows = (sql: string): unknown[] => {
      using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
      return database.prepare(sql).all()
    }
    const daemons = logsIfFailed()
    await using first = await DaemonProcess.start(world, `chat-${checkpoint}`)
    daemons.push(first)
    await chat.until(() => chat.isConnected, 'the bot is connected')
    await eventually(() => rows('SELECT 1 FROM channel_cursors').length === 1, 'it has a cursor')
    chat.say('a question', { from })
    expect(await first.ended()).toBe('SIGKILL')

    await using second = await DaemonProcess.start(world)
    daemons.push(second)
    await eventually(
      () => rows(`SELECT 1 FROM channel_posts WHERE state = 'posted'`).length === 1,
      'the answer is posted',
    )
    expect(chat.posts.map(({ text }) => text)).toEqual(['The answer.'])
    expect(rows('SELECT state, outcome FROM turns')).toEqual([{ state: 'settled', outcome: 'completed' }])
    expect(rows('SELECT state FROM channel_messages')).toEqual([{ state: 'answered' }])
  },
  crashTimeout,
)
