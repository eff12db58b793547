import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoreView } from '../../src/base/protocol/store.ts'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { createWorld } from '../support/world.ts'

const fromTeam = 'frontend'
const yes: Script = { flushDelayMs: 0, rules: [{ steps: [{ text: 'yes' }] }] }

/** Iris in a process that can be killed, so that its log is never written back into the main file. */
async function killable() {
  const fake = fakeClaude({ script: yes })
  const world = await createWorld({ settings: { claudePath: fake.claudePath, env: { ...fake.env } } })
  const path = join(world.home, 'data/team-sessions.db')
  const memory = join(world.home, 'store.json')
  return {
    fake,
    world,
    path,
    memory,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      fake[Symbol.dispose]()
    },
  }
}

/** It is written a little after the answer. */
function onRecord(home: string, sessionId: string): Promise<unknown> {
  const path = join(home, 'output_streams', sessionId, 'conversation.json')
  return eventually(() => existsSync(path) && readFileSync(path, 'utf8').includes('"result"'), 'it is on record')
}

function remember(memory: string, change: object): void {
  writeFileSync(memory, JSON.stringify({ ...JSON.parse(readFileSync(memory, 'utf8')), ...change }))
}

/** A store of another Iris, with a session in it that is not ours. */
function anotherStore(path: string): void {
  const own = readFileSync(path)
  rmSync(`${path}-wal`, { force: true })
  writeFileSync(path, own)
  using database = new DatabaseSync(path)
  database.exec(`PRAGMA application_id = 7; UPDATE team_sessions SET from_team = 'stranger', session_id = 'theirs'`)
}

const losses: readonly (readonly [string, (path: string, memory: string) => void, RegExp])[] = [
  ['its log is garbage', (path) => writeFileSync(`${path}-wal`, Buffer.alloc(8000, 'no log')), /log is damaged/],
  // Noticed by the number of the last message.
  [
    'its log was cut off',
    (path, memory) => {
      truncateSync(`${path}-wal`, 0)
      remember(memory, { sequence: 2 })
    },
    /ends with message 0, and there were 2/,
  ],
  ['it was deleted with its directory', (path) => rmSync(join(path, '..'), { recursive: true }), /its file is gone/],
  [
    'an empty store lies in its place',
    (path) => {
      for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
      using empty = new DatabaseSync(path)
      empty.exec('PRAGMA journal_mode = WAL; CREATE TABLE other (id)')
    },
    /is not a store of Iris/,
  ],
  ['the store of another Iris lies in its place', anotherStore, /store of another Iris/],
  [
    'it was deleted, and what is remembered is garbage',
    (path, memory) => {
      for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
      writeFileSync(memory, 'garbage')
    },
    /its file is gone/,
  ],
]

describe('a store that comes up empty', () => {
  describe('after a kill', () => {
    const fake = fakeClaude({ script: yes })
    let iris: TestIris
    let image: string
    let one: TurnResult
    let other: TurnResult
    const key = { fromTeam, thread: 'other', idempotencyKey: 'k' }

    // What a kill leaves is what is on disk while nothing happens; an ordinary stop would write the log back into the main file.
    beforeAll(async () => {
      iris = await TestIris.start({ settings: { claudePath: fake.claudePath, env: { ...fake.env } } })
      const { root, home } = iris.world
      one = await ask(iris, 'backend', 'one', { fromTeam })
      other = await ask(iris, 'backend', 'two', key)
      for (const { sessionId } of [one, other]) await onRecord(home, sessionId)
      image = `${root}-image`
      // In this process a copy would open and close the files of the store, which takes its locks away.
      execFileSync('cp', ['-a', root, image])
      await iris.daemon.stop(0)
    })
    afterAll(async () => {
      await iris[Symbol.asyncDispose]()
      rmSync(image, { recursive: true })
      fake[Symbol.dispose]()
    })

    test.each(losses)('when %s is rebuilt from the conversations, and said', async (_, lose, why) => {
      const { root, home } = iris.world
      await iris.daemon.stop(0)
      for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
      execFileSync('cp', ['-a', `${image}/.`, root])
      const [path, memory] = [join(home, 'data/team-sessions.db'), join(home, 'store.json')]
      expect(statSync(memory).mode & 0o777).toBe(0o600)
      lose(path, memory)
      const before = fake.oracle().length

      await iris.restart()
      const { store } = (await callTool(iris, 'team_status')) as { store: StoreView }
      expect(store.rebuilt).toMatchObject({ why: expect.stringMatching(why), sessions: 2, turns: 2, inDoubt: 0 })
      const { problems } = (await callTool(iris, 'get_health', {})) as { problems: { what: string }[] }
      expect(problems.map(({ what }) => what)).toContainEqual(expect.stringContaining('rebuilt at this start'))
      const { setAside } = store.rebuilt!
      expect(setAside === null || existsSync(setAside)).toBe(true)

      expect(await callTool(iris, 'message_status', { turnId: one.turnId })).toMatchObject({ response: 'yes' })
      expect(await ask(iris, 'backend', 'two', key)).toMatchObject({ turnId: other.turnId, response: 'yes' })
      const three = await ask(iris, 'backend', 'three', { fromTeam })
      expect(three).toMatchObject({ sessionId: one.sessionId })
      expect(deliveredUuids(fake.oracle().slice(before))).toEqual([three.turnId])
    })
  })

  test('is a new installation when what is remembered was deleted as well', async () => {
    await using iris = await killable()
    await using first = await DaemonProcess.start(iris.world)
    await ask(first, 'backend', 'one', { fromTeam })
    await first[Symbol.asyncDispose]()
    rmSync(join(iris.world.home, 'data'), { recursive: true })
    rmSync(iris.memory)
    await using second = await nextDaemon(iris.world)
    const { store } = (await callTool(second, 'team_status')) as { store: StoreView }
    expect(store.rebuilt).toBeUndefined()
    expect(readdirSync(join(iris.world.home, 'data')).filter((name) => name.includes('corrupt'))).toEqual([])
  })

  test('is not taken for lost after an ordinary stop, nor after a kill in the first moment', async () => {
    await using iris = await killable()
    for (const end of ['kill', 'stop', 'kill'] as const) {
      await using daemon = await DaemonProcess.start(iris.world)
      expect(((await callTool(daemon, 'team_status')) as { store: StoreView }).store.rebuilt).toBeUndefined()
      await ask(daemon, 'backend', 'again', { fromTeam })
      if (end === 'kill') await daemon.kill()
    }
  })
})
