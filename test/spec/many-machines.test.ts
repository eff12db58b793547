import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { deliveredUuids } from '../support/oracle.ts'

let server: NatsServer
let laptop: JoinedIris
let studio: JoinedIris

beforeAll(async () => {
  server = await NatsServer.start()
  laptop = await joinedIris(server, 'laptop', { teams: ['frontend', 'shared'] })
  const script = { rules: [{ steps: [{ text: 'You said: {{message}}' }] }] }
  studio = await joinedIris(server, 'studio', { teams: ['backend', 'shared'], script })
  await offersTo(laptop.iris, 'backend@studio')
  await offersTo(studio.iris, 'frontend@laptop')
})

afterAll(async () => {
  for (const each of [laptop, studio, server]) await each[Symbol.asyncDispose]()
})

test('list_teams names the teams of the other host', async () => {
  expect(await offersTo(laptop.iris, 'backend@studio')).toMatchObject({
    config: { host: 'studio', description: 'backend of studio' },
    link: { state: 'connected' },
  })
})

test('an ask is a turn in both ledgers, executed once by its owner, and its answer comes back', async () => {
  const answer = await ask(laptop.iris, 'backend@studio', 'Which port?', { fromTeam: 'frontend' })
  expect(answer).toMatchObject({ status: 'completed', from: 'frontend', to: 'backend@studio', delivered: true })
  expect(answer.response).toContain('Which port?')
  const sql = `SELECT id, state, outcome FROM turns WHERE id = '${answer.turnId}'`
  const row = { id: answer.turnId, state: 'settled', outcome: 'completed' }
  expect([laptop.iris.rows(sql), studio.iris.rows(sql)]).toEqual([[row], [row]])
  expect(laptop.claude.oracle()).toEqual([])
  expect(deliveredUuids(studio.claude.oracle())).toEqual([answer.turnId])
})

test('who asks is the team with its host', async () => {
  const { turnId } = await ask(laptop.iris, 'backend@studio', 'Who am I?', { fromTeam: 'frontend' })
  const pair = `SELECT from_team, to_team FROM team_sessions JOIN turns ON turns.session = team_sessions.id
    WHERE turns.id = '${turnId}'`
  expect(studio.iris.rows(pair)).toEqual([{ from_team: 'frontend@laptop', to_team: 'backend' }])
})

test('a team that only one other host has needs no host; a local one is always meant', async () => {
  expect((await ask(laptop.iris, 'backend', 'Unique?')).to).toBe('backend@studio')
  expect((await ask(laptop.iris, 'shared', 'Mine?')).to).toBe('shared')
})

test('a team that the host does not offer is refused at once', async () => {
  expect(await refusal(laptop.iris, 'send_message', { toTeam: 'backen@studio', message: 'x' })).toEqual({
    code: 'unknown_team',
    message: 'The host "studio" does not offer a team "backen".',
    remedy: 'Did you mean "backend@studio"? list_teams names all.',
  })
})

test('a repeated call under its key finds its turn', async () => {
  const twice = { idempotencyKey: 'k1' }
  const first = await ask(laptop.iris, 'backend@studio', 'Once?', twice)
  const second = await ask(laptop.iris, 'backend@studio', 'Once?', twice)
  expect(second.turnId).toBe(first.turnId)
})

test('a team that is added is offered, one that is removed is not', async () => {
  studio.iris.world.writeConfig({ teams: { backend: {}, shared: {}, mobile: {} } })
  await offersTo(laptop.iris, 'mobile@studio')
  const { totalTeams } = await callTool(laptop.iris, 'list_teams')
  expect(totalTeams).toBe(5)
})

test('a notice for a team of another host goes before the next message of the pair, and once', async () => {
  const left = { fromTeam: 'frontend', toTeam: 'backend@studio', message: 'The port is 4000 now.', thread: 'notices' }
  expect(await callTool(laptop.iris, 'notify', left)).toMatchObject({ to: 'backend@studio', pending: 1 })
  const next = { fromTeam: 'frontend', thread: 'notices' }
  const { response, turnId } = await ask(laptop.iris, 'backend@studio', 'Did you know?', next)
  expect(response).toMatch(/<iris-notice from="frontend@laptop" left="[^"]+">\nThe port is 4000 now\./)
  expect((await ask(laptop.iris, 'backend@studio', 'And now?', next)).response).not.toContain('iris-notice from')
  const sql = `SELECT turn FROM notices`
  expect([laptop.iris.rows(sql), studio.iris.rows(sql)]).toEqual([[{ turn: turnId }], [{ turn: turnId }]])
  expect(await refusal(laptop.iris, 'notify', { ...left, toTeam: 'backen@studio' })).toMatchObject({
    code: 'unknown_team',
  })
})
