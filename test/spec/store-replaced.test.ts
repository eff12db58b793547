import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { StoreView } from '../../src/base/protocol/store.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import type { Script } from '../support/fake-claude.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const script = (file: (name: string) => string): Script => ({
  flushDelayMs: 0,
  rules: [
    { when: 'slow', steps: [{ partial: 'half' }, { waitForFile: file('gate') }, { text: 'whole' }] },
    { steps: [{ text: 'yes' }] },
  ],
})
const noFilter = { participants: [], from: undefined, to: undefined, thread: undefined, since: undefined }
const ends = ['', '-wal', '-shm']

async function viewOf({ iris }: Stage): Promise<StoreView> {
  return ((await callTool(iris, 'team_status')) as { store: StoreView }).store
}

function anotherStore(path: string): void {
  using database = new DatabaseSync(path)
  database.exec('PRAGMA application_id = 7; CREATE TABLE other (id)')
}

const displacements: readonly (readonly [string, (path: string) => void, RegExp, boolean])[] = [
  ['deleted', (path) => ends.map((end) => rmSync(path + end)), /deleted/, false],
  ['deleted with its directory', (path) => rmSync(dirname(path), { recursive: true }), /deleted/, false],
  [
    'moved away',
    (path) => {
      mkdirSync(`${dirname(path)}/away`)
      for (const end of ends) renameSync(path + end, `${dirname(path)}/away/team-sessions.db${end}`)
    },
    /deleted/,
    false,
  ],
  [
    'replaced by another store',
    (path) => {
      anotherStore(`${path}.other`)
      renameSync(`${path}.other`, path)
    },
    /another file has taken its place/,
    true,
  ],
]

test.each(displacements)(
  'a store that is %s while Iris runs is put back with all that was in it, and nothing is lost',
  async (_, displace, why, setsAside) => {
    await using stage = await Stage.start({ script })
    const { iris, fake } = stage
    const path = join(iris.world.home, 'data/team-sessions.db')
    const one = await ask(iris, 'backend', 'one', { fromTeam })
    const slow = callTool(iris, 'quick_message', { toTeam: 'mobile', message: 'slow', fromTeam })
    const slowId = await stage.said('half')
    await slow
    const query = { text: 'yes', filter: noFilter, limit: 9, before: undefined }
    const find = async () => (await iris.daemon.parts.search.find(query)).hits
    expect(await find()).toHaveLength(1)
    displace(path)
    const restored = await eventually(async () => (await viewOf(stage)).restored, 'it is put back')
    expect(restored).toMatchObject({ why: expect.stringMatching(why) })
    expect(restored.setAside !== null && existsSync(restored.setAside)).toBe(setsAside)
    expect(statSync(path).mode & 0o777).toBe(0o600)

    const two = await ask(iris, 'backend', 'two', { fromTeam, idempotencyKey: 'k' })
    expect(two).toMatchObject({ status: 'completed', sessionId: one.sessionId })
    expect(await find()).toHaveLength(2)
    fake.open('gate')
    expect(await stage.status(slowId, 0)).toMatchObject({ status: 'completed', response: 'halfwhole' })
    expect(iris.rows('SELECT id, outcome FROM turns ORDER BY sequence')).toEqual(
      [one.turnId, slowId, two.turnId].map((id) => ({ id, outcome: 'completed' })),
    )
    const { problems } = (await callTool(iris, 'get_health', {})) as { problems: { what: string }[] }
    expect(problems.map(({ what }) => what)).toContainEqual(
      expect.stringContaining('Iris restored it; nothing is lost'),
    )

    await iris.restart()
    const view = await viewOf(stage)
    expect([view.rebuilt, view.restored]).toEqual([undefined, undefined])
    expect(await ask(iris, 'backend', 'two', { fromTeam, idempotencyKey: 'k' })).toMatchObject({ turnId: two.turnId })
    expect(deliveredUuids(fake.oracle())).toHaveLength(3)
  },
)

test('while it cannot be put back everything is refused with the remedy; then it is there, without a restart', async () => {
  await using stage = await Stage.start({ script })
  const { iris } = stage
  const data = join(iris.world.home, 'data')
  const one = await ask(iris, 'backend', 'one', { fromTeam })
  rmSync(data, { recursive: true })
  writeFileSync(data, 'in the way')
  // Before it is noticed a message is accepted, and waits for the store: a call that waits for its answer would too.
  const refused = await eventually(
    () => refusal(iris, 'quick_message', { toTeam: 'backend', message: 'x', fromTeam }).catch(() => undefined),
    'it is refused',
  )
  expect(refused).toMatchObject({
    code: 'store_unavailable',
    message: expect.stringContaining('was deleted or replaced while Iris was running, and Iris cannot restore it'),
    remedy: expect.stringContaining('Do not stop Iris until then'),
  })
  rmSync(data)
  const { restored } = await eventually(async () => {
    const view = await viewOf(stage).catch(() => undefined)
    return view?.restored && view
  }, 'it is put back')
  expect(restored).toMatchObject({ setAside: null })
  expect(await ask(iris, 'backend', 'two', { fromTeam })).toMatchObject({ sessionId: one.sessionId })
})

test('a store over which another one was copied is damage: nothing more is taken, and the next start rebuilds it', async () => {
  await using stage = await Stage.start({ script })
  const { iris } = stage
  const path = join(iris.world.home, 'data/team-sessions.db')
  const one = await ask(iris, 'backend', 'one', { fromTeam })
  const record = join(iris.world.home, 'output_streams', one.sessionId, 'conversation.json')
  await eventually(() => existsSync(record) && readFileSync(record, 'utf8').includes('"result"'), 'it is on record')
  anotherStore(`${path}.other`)
  copyFileSync(`${path}.other`, path)
  await eventually(() => iris.daemon.parts.store().damage, 'it is noticed')
  expect(await refusal(iris, 'send_message', { toTeam: 'backend', message: 'x' })).toMatchObject({
    code: 'store_unavailable',
    remedy: expect.stringContaining('Restart Iris'),
  })
  await iris.restart()
  expect((await iris.event('store-rebuilt')).rebuilt).toMatchObject({ sessions: 1, turns: 1 })
  expect(await ask(iris, 'backend', 'two', { fromTeam })).toMatchObject({ sessionId: one.sessionId })
})

test('how far it has come is remembered outside of it, some seconds after a message was accepted', async () => {
  await using stage = await Stage.start({ script, movesMachine: true })
  const { iris } = stage
  const memory = join(iris.world.home, 'store.json')
  const sequence = () => JSON.parse(readFileSync(memory, 'utf8')).sequence
  expect(sequence()).toBe(0)
  await ask(iris, 'backend', 'one', { fromTeam })
  expect(sequence()).toBe(0)
  await stage.clock.jump(5000)
  expect(sequence()).toBe(1)
  writeFileSync(memory, 'garbage')
  await ask(iris, 'backend', 'two', { fromTeam })
  await iris.daemon.stop(0)
  expect(sequence()).toBe(2)
  await iris.restart()
})

test('a home that is moved while Iris runs has all messages, and no second store is made in its former place', async () => {
  await using stage = await Stage.start({ script })
  const { iris } = stage
  const { home } = iris.world
  // Its credential is moved too.
  const endpoint = { port: iris.port, token: iris.token }
  const { turnId } = await ask(endpoint, 'backend', 'hello', { fromTeam })
  renameSync(home, `${home}-moved`)
  const later = await ask(endpoint, 'backend', 'and after the move', { fromTeam })
  await iris.daemon.stop(0)
  // What was said after the move may be there, but nothing that a daemon would deliver again.
  expect(existsSync(join(home, 'data/team-sessions.db'))).toBe(false)
  rmSync(home, { recursive: true })
  renameSync(`${home}-moved`, home)
  const turns = iris.rows('SELECT id, outcome FROM turns ORDER BY sequence')
  expect(turns).toEqual([turnId, later.turnId].map((id) => ({ id, outcome: 'completed' })))
})
