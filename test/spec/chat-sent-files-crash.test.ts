import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { crashTimeout, logsIfFailed } from '../support/logs-if-failed.ts'
import { isStandard } from '../support/tier.ts'
import { createWorld } from '../support/world.ts'

/** Sends the file once, and does not send it again when its work goes on after a crash. */
const script: Script = ({ conversation: { lastUserText, step } }) =>
  step === 0 && !lastUserText.includes('<iris-continuation>')
    ? { toolUses: [{ name: 'mcp__iris__chat_send_file', input: { path: 'report.csv' } }] }
    : { text: 'The answer.' }

const cases = chatPlatforms.flatMap((platform) =>
  ['file-uploaded', 'file-sending', 'file-sent']
    .filter((checkpoint) => checkpoint !== 'file-uploaded' || platform === 'slack')
    .map((checkpoint) => [platform, checkpoint] as const),
)

test.each(isStandard ? cases.filter((_, index) => index === 1 || index === 4) : cases)(
  '%s, kill -9 at "%s": the file is posted once at the most, and openly marked if nobody knows',
  async (platform, checkpoint) => {
    await using chat = await ChatPlace.start(platform)
    await using world = await createWorld({ script, teams: { backend: {} } })
    writeFileSync(join(world.directory('backend'), 'report.csv'), 'a,b\n')
    chat.join(world)
    const rows = (sql: string): Record<string, unknown>[] => {
      using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
      return database.prepare(sql).all()
    }
    const daemons = logsIfFailed()
    await using first = await DaemonProcess.start(world, `chat-${checkpoint}`)
    daemons.push(first)
    await chat.listens()
    await eventually(() => rows('SELECT 1 FROM channel_cursors').length === 1, 'it has a cursor')
    chat.say('send it')
    expect(await first.ended()).toBe('SIGKILL')

    await using second = await DaemonProcess.start(world)
    daemons.push(second)
    const open = `SELECT 1 FROM channel_posts WHERE state IN ('waiting', 'sending', 'reserved')`
    await chat.posted((text) => text === 'The answer.', 'the answer is posted')
    await eventually(() => rows(open).length === 0, 'everything has ended')
    const wasSent = checkpoint === 'file-sent'
    const isKnown = platform === 'discord' || checkpoint === 'file-uploaded' || (platform === 'slack' && wasSent)
    expect(rows(`SELECT state FROM channel_posts WHERE turn IS NULL AND text IS NULL`)).toEqual([
      { state: isKnown ? 'posted' : 'in_doubt' },
    ])
    expect(chat.double.documents).toHaveLength(isKnown || wasSent ? 1 : 0)
    expect(rows('SELECT post FROM channel_files')).toEqual([])
    expect(rows('SELECT state, outcome FROM turns')).toEqual([{ state: 'settled', outcome: 'completed' }])
  },
  crashTimeout,
)
