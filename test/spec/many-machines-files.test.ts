import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { attachmentReader, tinyPng } from '../support/attachable.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'

const port = { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] }

/** Reads the files of a message; gives a value where one is wanted. */
const reads: Script = (request) => {
  const { userTexts, step } = request.conversation
  if (!userTexts.at(-1)?.includes('<iris-schema>')) return attachmentReader(request)
  if (step > 0) return { text: 'Given.' }
  return { toolUses: [{ name: 'mcp__iris__return_value', input: { value: { port: 1615 } } }] }
}

let server: NatsServer
let laptop: JoinedIris
let studio: TestIris

beforeAll(async () => {
  server = await NatsServer.start()
  laptop = await joinedIris(server, 'laptop', { teams: ['frontend'] })
  const cluster = { servers: server.url, name: 'studio' }
  studio = await TestIris.start({
    claude: 'fake',
    script: reads,
    teams: { backend: { grantPermission: 'no' } },
    cluster,
  })
  await offersTo(laptop.iris, 'backend@studio')
})

afterAll(async () => {
  for (const each of [laptop, studio, server]) await each[Symbol.asyncDispose]()
})

const send = (message: string, more: object) =>
  ask(laptop.iris, 'backend@studio', message, { fromTeam: 'frontend', ...more })

test('files go along: the model of the other host sees pictures and reads the others', async () => {
  const project = laptop.iris.world.directory('frontend')
  writeFileSync(join(project, 'shot.png'), tinyPng)
  writeFileSync(join(project, 'note.txt'), 'the word is heron')
  const sent = await send('look', { attachments: [{ path: 'shot.png' }, { path: 'note.txt' }] })
  expect(sent).toMatchObject({ status: 'completed', response: expect.stringContaining('the word is heron') })
  expect(JSON.stringify(studio.world.model.requests.recent)).toContain(tinyPng.toString('base64'))
  // Both ledgers keep them, so that a retry and a delivery after a crash have them.
  const files = `SELECT attachments FROM turns WHERE id = '${sent.turnId}'`
  expect(studio.rows(files)).toEqual(laptop.iris.rows(files))
})

test('files that the servers do not carry end the message with the reason', async () => {
  const data = Buffer.alloc(2 ** 20).toString('base64')
  const sent = await send('look', { thread: 'large', attachments: [{ name: 'large.bin', data }] })
  expect(sent).toMatchObject({
    status: 'failed',
    reason: 'refused',
    detail: expect.stringContaining('NATS servers carry'),
  })
  expect(await send('look', { thread: 'large' })).toMatchObject({ status: 'completed' })
})

test('an answer is a value of the schema on the other host too', async () => {
  const sent = await send('Which port?', { thread: 'typed', responseSchema: port })
  expect(sent).toMatchObject({ status: 'completed', value: { port: 1615 } })
})
