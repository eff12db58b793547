import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ChatPlace, chatPlatforms } from '../support/chat-places.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { crashTimeout, logsIfFailed } from '../support/logs-if-failed.ts'
import { isBrief } from '../support/tier.ts'
import { createWorld, type World } from '../support/world.ts'

/** Sends the file once, and does not send it again when its work continues after a crash. */
const script: Script = ({ conversation: { lastUserText, step } }) =>
  step === 0 && !lastUserText.includes('<iris-continuation>')
    ? { toolUses: [{ name: 'mcp__iris__chat_send_file', input: { path: 'report.csv' } }] }
    : { text: 'The answer.' }

const platforms = chatPlatforms.map(
  (platform) => [platform, [...(platform === 'slack' ? ['file-uploaded'] : []), 'file-sending', 'file-sent']] as const,
)
/** Telegram after it was sent, and Slack when it was uploaded. */
const some = [
  ['telegram', ['file-sent']],
  ['slack', ['file-uploaded']],
] as const

/** The daemon that continues after one crash is the one that crashes next. */
describe.each<(typeof platforms | typeof some)[number]>(isBrief ? some : platforms)('%s', (platform, deadly) => {
  let chat: ChatPlace
  let world: World
  let daemon: DaemonProcess
  let messages = 0
  let documents = 0
  const states: string[] = []
  const rows = (sql: string): Record<string, unknown>[] => {
    using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
    return database.prepare(sql).all()
  }
  beforeAll(async () => {
    chat = await ChatPlace.start(platform)
    world = await createWorld({ claude: 'fake', script, teams: { backend: {} } })
    writeFileSync(join(world.directory('backend'), 'report.csv'), 'a,b\n')
    chat.join(world)
    daemon = await DaemonProcess.start(world)
    await chat.listens()
    await eventually(() => rows('SELECT 1 FROM channel_cursors').length === 1, 'it has a cursor')
  })
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
    await chat[Symbol.asyncDispose]()
  })

  test.each(deadly)(
    'kill -9 at "%s": the file is posted once at the most, and openly marked if nobody knows',
    async (checkpoint) => {
      const daemons = logsIfFailed()
      daemons.push(daemon)
      await chat.listens()
      daemon.dieAt(`chat-${checkpoint}`)
      chat.say('send it')
      messages += 1
      expect(await daemon.ended()).toBe('SIGKILL')

      daemon = await DaemonProcess.start(world)
      daemons.push(daemon)
      const open = `SELECT 1 FROM channel_posts WHERE state IN ('waiting', 'sending', 'reserved')`
      const answers = () => chat.texts.filter((text) => text === 'The answer.').length
      await chat.double.until(() => answers() === messages, 'the answer is posted')
      await eventually(() => rows(open).length === 0, 'everything has ended')
      const wasSent = checkpoint === 'file-sent'
      const isKnown = platform === 'discord' || checkpoint === 'file-uploaded' || (platform === 'slack' && wasSent)
      states.push(isKnown ? 'posted' : 'in_doubt')
      documents += isKnown || wasSent ? 1 : 0
      expect(rows(`SELECT state FROM channel_posts WHERE turn IS NULL AND text IS NULL ORDER BY id`)).toEqual(
        states.map((state) => ({ state })),
      )
      expect(chat.double.documents).toHaveLength(documents)
      expect(rows('SELECT post FROM channel_files')).toEqual([])
      const settled = { state: 'settled', outcome: 'completed' }
      expect(rows('SELECT state, outcome FROM turns')).toEqual(Array.from({ length: messages }, () => settled))
    },
    crashTimeout,
  )
})
