import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { clientTypes, typesFile } from '../../scripts/client-types.ts'
import { descriptionText } from '../../scripts/openapi-files.ts'
import type { Input, Output } from '../../src/adapters/client/tool-call.ts'
import type { OperationName } from '../../src/features/contracts.ts'
import type { operations } from '../support/api-types.ts'
import { TestIris } from '../support/iris.ts'
import { typedClient } from '../support/typed-client.ts'

type Name = OperationName & keyof operations
/** Operations whose answer, or whose input, has another type in the description than in the contract. */
type OtherAnswers = { [N in Name]: Output<N> extends operations[N]['answer'] ? never : N }[Name]
type OtherInputs = { [N in Name]: operations[N]['input'] extends Input<N> ? never : N }[Name]

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', teams: { backend: {} } })
})
afterAll(() => iris[Symbol.asyncDispose]())

test('the types of a client are those of docs/openapi.json, and for the compiler those of the contracts', () => {
  const types = readFileSync(new URL(`../../${typesFile}`, import.meta.url), 'utf8')
  expect(types).toBe(clientTypes(JSON.parse(descriptionText)))
  expectTypeOf<OtherAnswers>().toBeNever()
  expectTypeOf<OtherInputs>().toBeNever()
})

test('a client with these types asks, reads pages, and gives times in both forms', async () => {
  const call = typedClient(iris)
  const asOwner = typedClient({ port: iris.port, token: iris.world.owner() })
  const before = new Date().toISOString()
  const { turnId, response, sessionId } = await call('send_message', { toTeam: 'backend', message: 'one' })
  expect(response).toBe('You said: one')
  await call('send_message', { toTeam: 'backend', message: 'two' })
  expect((await call('message_status', { turnId: turnId! })).response).toBe(response)
  const { turns } = await call('session_turns', { sessionId: sessionId! })
  expect(turns.map((turn) => turn.response)).toEqual(['You said: one', 'You said: two'])
  for (const since of [before, Date.parse(before)])
    expect((await call('list_sessions', { since })).sessions.map((each) => each.sessionId)).toEqual([sessionId])
  expect((await call('list_sessions', { since: '2100-01-01' })).sessions).toEqual([])
  await expect(call('list_sessions', { since: 'yesterday' })).rejects.toMatchObject({ status: 400 })

  const newest = await call('session_report', { team: 'backend', limit: 1 })
  const older = await call('session_report', { team: 'backend', limit: 1, cursor: newest.nextCursor })
  const former = await call('session_report', { team: 'backend', limit: 1, before: newest.before })
  expect(older.entries.map(({ message }) => message)).toEqual(['one'])
  expect(former.entries).toEqual(older.entries)
  for (const program of ['ci', 'cron']) await asOwner('create_token', { program, teams: ['backend'] })
  const first = await asOwner('list_audit', { limit: 1 })
  const second = await asOwner('list_audit', { limit: 1, cursor: first.nextCursor })
  expect(second.entries[0]!.sequence).toBe(first.entries[0]!.sequence - 1)
  expect((await asOwner('list_audit', { limit: 1, before: first.nextBefore })).entries).toEqual(second.entries)
  const { nextCursor } = await call('list_events', { limit: 1 })
  const page = await call('list_events', { cursor: nextCursor })
  expect(page.events.map(({ type }) => type)).toEqual(['turn-settled', 'turn-accepted', 'turn-settled'])
  expect((await call('list_events', { after: nextCursor })).events).toEqual(page.events)
})
