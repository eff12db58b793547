import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { tinyPng } from '../support/attachable.ts'
import type { BotApi } from '../support/bot-api.ts'
import { ChatPlace } from '../support/chat-places.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { createWorld } from '../support/world.ts'

const group = -100

/** Ada asks for the opening hours, which takes until `gate` opens; what Bob adds is answered beside it. */
async function shopWith(gate: Promise<unknown>) {
  const texts: string[] = []
  const script: Script = ({ body, conversation: { lastUserText } }) => {
    texts.push(lastUserText)
    const said = JSON.stringify(body.messages)
    const isFirst = lastUserText.includes('\nWhen are you open?\n') && !said.includes('And in Norway?')
    if (isFirst) return { stream: heldText('Always', gate, ', here.') }
    return { text: said.includes('And in Norway?') ? 'In Norway too.' : 'A picture.' }
  }
  const chat = await ChatPlace.start('telegram')
  const world = await createWorld({ claude: 'fake', script, teams: { backend: {} } })
  chat.join(world, { allow: [42, 43], groups: { [group]: 'always' }, whenBusy: 'steer' })
  const rows = (sql: string): Record<string, unknown>[] => {
    using database = new DatabaseSync(join(world.home, 'data/team-sessions.db'), { readOnly: true })
    return database.prepare(sql).all()
  }
  const api = chat.double as BotApi
  const say = (text: string, from: number, more: object = {}) =>
    api.say(text, { from, name: from === 42 ? 'Ada' : 'Bob', chat: group, isGroup: true, ...more })
  return {
    world,
    rows,
    say,
    texts,
    chat,
    api,
    begins: async () => {
      await chat.listens()
      say('When are you open?', 42)
      await api.posted(group, /^Always/)
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]()
      await chat[Symbol.asyncDispose]()
    },
  }
}

test('with whenBusy: steer a message joins the answer, by the name of who wrote it; one with a file waits', async () => {
  const gate = Promise.withResolvers<void>()
  await using shop = await shopWith(gate.promise)
  await using _daemon = await DaemonProcess.start(shop.world)
  await shop.begins()
  shop.say('And in Norway?', 43)
  await eventually(() => shop.rows('SELECT 1 FROM steers').length === 1, 'it has joined')
  shop.say('What is this?', 43, { file: { content: tinyPng } })
  await eventually(() => shop.rows('SELECT 1 FROM turns').length === 2, 'the picture waits')
  gate.resolve()
  await shop.api.until(() => shop.api.textsIn(group).length === 2, 'both answers are begun')
  const open = `SELECT 1 FROM channel_posts WHERE state <> 'posted'`
  await eventually(() => shop.rows(open).length === 0, 'both answers are posted')
  expect(shop.api.textsIn(group)[0]).toMatch(/^Always, here\.\s+In Norway too\.$/)
  expect(shop.rows('SELECT sender, state, turn FROM channel_messages ORDER BY received_at')).toEqual([
    { sender: '42', state: 'answered', turn: expect.any(String) },
    { sender: '43', state: 'answered', turn: shop.rows('SELECT id FROM turns ORDER BY sequence')[0]!['id'] },
    { sender: '43', state: 'answered', turn: shop.rows('SELECT id FROM turns ORDER BY sequence')[1]!['id'] },
  ])
  const joined = shop.texts.find((text) => text.includes('And in Norway?'))
  expect(joined).toContain('{"sender":{"userId":"43","userName":"Bob"}}')
})

test('kill -9 after it joined: one turn, one answer, and the message is in it', async () => {
  const gate = Promise.withResolvers<void>()
  await using shop = await shopWith(gate.promise)
  await using first = await DaemonProcess.start(shop.world)
  await shop.begins()
  shop.say('And in Norway?', 43)
  await eventually(() => shop.rows('SELECT 1 FROM steers').length === 1, 'it has joined')
  await first.kill()
  gate.resolve()
  await using _second = await nextDaemon(shop.world)
  await shop.api.posted(group, /In Norway too\./)
  const open = `SELECT 1 FROM channel_posts WHERE state <> 'posted'`
  await eventually(() => shop.rows(open).length === 0, 'everything is posted')
  expect(shop.api.textsIn(group)).toHaveLength(1)
  expect(shop.rows('SELECT outcome FROM turns')).toEqual([{ outcome: 'completed' }])
  expect(shop.rows('SELECT state FROM channel_messages')).toEqual([{ state: 'answered' }, { state: 'answered' }])
  const again = shop.texts.findLast((text) => text.includes('And in Norway?'))!
  expect(again.split('And in Norway?')).toHaveLength(2)
  expect(again).toContain('"userName":"Bob"')
})
