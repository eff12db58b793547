import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { LocalTree } from '../../platform/machine/local-tree.ts'
import { openStore } from './open-store.ts'

/** Opens the store at this path in a home; returns what was rebuilt. */
async function opened(home: string, name: string): Promise<string | undefined> {
  const { store, rebuilt } = await openStore(
    {
      path: join(home, name),
      memory: join(home, 'store.json'),
      streams: join(home, 'output_streams'),
      projects: [],
      kept: { tree: new LocalTree(join(home, 'data/transcripts')), names: [] },
      clock: new FakeClock(),
      random: () => 0.5,
      recordRebuilt: async () => {},
    },
    async () => {},
  )
  store.close()
  return rebuilt?.why
}

const others: readonly (readonly [string, (path: string) => void])[] = [
  ['a text', (path) => writeFileSync(path, 'notes\n'.repeat(100))],
  [
    'the database of another program',
    (path) => {
      using other = new DatabaseSync(path)
      other.exec('CREATE TABLE mine (x); PRAGMA application_id = 5')
    },
  ],
]

test.each(others)('%s that database.path names is no store to rebuild, and stays as it is', async (_what, write) => {
  using scratch = scratchDirectory()
  const home = scratch.path
  const file = join(home, 'other')
  write(file)
  const before = readFileSync(file)
  const refusal = expect.objectContaining({
    code: 'store_unavailable',
    message: `${file} is not a store of Iris, and Iris has never used it as one. Nothing was changed.`,
  })
  await expect(opened(home, 'other')).rejects.toThrow(refusal)
  // A home that has a store elsewhere does not accept the file either.
  mkdirSync(join(home, 'data'))
  await opened(home, 'data/team-sessions.db')
  await expect(opened(home, 'other')).rejects.toThrow(refusal)
  expect(readFileSync(file)).toEqual(before)
  expect(readdirSync(home).filter((name) => name.startsWith('other'))).toEqual(['other'])
})

test('a store at a path of its own is rebuilt when it is damaged, and so is one whose record names no path', async () => {
  using scratch = scratchDirectory()
  const home = scratch.path
  expect(await opened(home, 'own/store.db')).toBeUndefined()
  expect(await opened(home, 'own/store.db')).toBeUndefined()
  const memory = join(home, 'store.json')
  for (const isOlder of [false, true]) {
    if (isOlder) writeFileSync(memory, JSON.stringify({ ...JSON.parse(readFileSync(memory, 'utf8')), path: undefined }))
    writeFileSync(join(home, 'own/store.db'), 'garbage'.repeat(1000))
    expect(await opened(home, 'own/store.db')).toMatch(/not a database/)
  }
  expect(existsSync(join(home, 'own/store.db'))).toBe(true)
})
