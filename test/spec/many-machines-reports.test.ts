import { afterAll, beforeAll, expect, test } from 'vitest'
import { consoleMeta } from '../../src/base/protocol/daemon.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'

let server: NatsServer
let laptop: JoinedIris
let studio: JoinedIris

/** "build x" leaves a command running until the file x is there; its agent reports the end. */
beforeAll(async () => {
  server = await NatsServer.start()
  laptop = await joinedIris(server, 'laptop', { teams: ['frontend'] })
  const building = (name: string, file: (name: string) => string) => ({
    when: `build ${name}`,
    steps: [{ backgroundTask: { id: name, endsAfterFile: file(name) } }, { text: 'It builds.' }],
  })
  studio = await joinedIris(server, 'studio', {
    teams: ['backend'],
    script: (file) => ({
      rules: [
        { when: 'task-notification', steps: [{ text: 'The build FAILED.' }] },
        building('one', file),
        building('two', file),
        { steps: [{ text: 'Hello.' }] },
      ],
    }),
  })
  await offersTo(laptop.iris, 'backend@studio')
})

afterAll(async () => {
  for (const each of [laptop, studio, server]) await each[Symbol.asyncDispose]()
})

const say = (message: string, args: object = {}, call: object = {}) =>
  ask(laptop.iris, 'backend@studio', message, { fromTeam: 'frontend', ...args }, call)
const told = (iris: JoinedIris['iris'], turnId: string) =>
  iris.event('turn-reported', (event) => event.turnId === turnId)

test('what an agent says after its answer reaches the host that asked, with the next answer and its tokens', async () => {
  const first = await say('build one')
  expect(first).toMatchObject({ status: 'completed', response: 'It builds.', background: [{}] })
  studio.claude.open('one')
  await told(laptop.iris, first.turnId)
  const reports = [{ turnId: first.turnId, kind: 'said', text: 'The build FAILED.' }]
  expect(await say('hello')).toMatchObject({ response: 'Hello.', reports })
  expect(await say('again')).not.toHaveProperty('reports')
  const known = await callTool(laptop.iris, 'message_status', { turnId: first.turnId, fromTeam: 'frontend' })
  expect(known).toMatchObject({ reports })
  const usage = (iris: JoinedIris['iris']) => iris.rows(`SELECT usage FROM turns WHERE id = '${first.turnId}'`)
  expect(usage(laptop.iris)).toEqual(usage(studio.iris))
})

test('one that comes while the asking host is away waits for it, and is pushed into the session that asked', async () => {
  const session = { meta: { [consoleMeta]: 'one' } }
  const first = await say('build two', {}, session)
  const { turnId } = first
  expect(first).toMatchObject({ status: 'completed', background: [{}] })
  await server.kill()
  studio.claude.open('two')
  await told(studio.iris, turnId)
  await server.start()
  await told(laptop.iris, turnId)
  const pushed = await callTool(laptop.iris, 'late_answers', { take: true }, session)
  expect(pushed).toMatchObject({ pushes: [{ turnId, text: expect.stringContaining('The build FAILED.') }] })
})
