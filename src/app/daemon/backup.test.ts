import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { scratchDirectory } from '../../../test/support/scratch.ts'
import { homePaths } from '../../platform/config/home.ts'
import { openDatabase } from '../../platform/store/database.ts'
import { readRemembered } from '../../platform/store/remembered-store.ts'
import { setIdentity } from '../../platform/store/store-identity.ts'
import { backup } from './backup.ts'
import { restore } from './restore.ts'

const insertTurn = `INSERT INTO team_sessions (id, from_team, to_team, session_id, created_at, last_used_at)
    VALUES (1, 'frontend', 'backend', 'one', 1, 1);
  INSERT INTO turns (id, session, message, hop, awaited, state, accepted_at)
    VALUES ('turn', 1, 'hello', 1, 0, 'accepted', 1);`

/** A home with a store that is open, as in a running daemon, and a place for another one. */
function used() {
  const scratch = scratchDirectory()
  const home = join(scratch.path, 'iris')
  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  put('config.yaml', 'settings: {}\n')
  put('data/transcripts/one.jsonl', '{"line": 1}\n')
  put('output_streams/one/stream.log', 'said')
  put('templates/agent.md', 'be kind')
  put('token', 'secret of programs')
  put('owner', 'secret of the owner')
  put('account.token', 'secret of an account')
  put('logs/daemon.log', 'log')
  put('data/search.db', 'index')
  put('daemon.json', '{}')
  put('home.json', '{}')
  put('data/home.json', '{}')
  const store = openDatabase(homePaths(home).database)
  setIdentity(store, 7)
  onTestFinished(() => {
    store.close()
    scratch[Symbol.dispose]()
  })
  const to = join(scratch.path, 'restored')
  const file = join(scratch.path, 'iris.backup')
  return { home, store, put, to, file, root: scratch.path, from: { IRIS_HOME: home }, into: { IRIS_HOME: to } }
}

function filesIn(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => statSync(join(directory, name)).isFile()).toSorted()
}

test('a restored home has the store, the transcripts and the configuration, and no credentials', async () => {
  const { home, store, to, file, from, into } = used()
  store.exec(insertTurn)
  const made = await backup(from, file, false)
  expect(made.leftOut).toEqual(['account.token'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const restored = await restore(into, file)
  expect(restored).toMatchObject({ home: to, from: home, left: 1, files: made.files, otherStore: null })
  expect(filesIn(to)).toEqual([
    'config.yaml',
    'data/home.json',
    'data/team-sessions.db',
    'data/transcripts/one.jsonl',
    'home.json',
    'output_streams/one/stream.log',
    'store.json',
    'templates/agent.md',
  ])
  expect(readRemembered(homePaths(to).storeMemory)).toEqual({ identity: 7, sequence: 1 })
  using copy = new DatabaseSync(homePaths(to).database, { readOnly: true })
  expect(copy.prepare('SELECT message FROM turns').all()).toEqual([{ message: 'hello' }])
  expect(JSON.parse(readFileSync(homePaths(to).homeRecord, 'utf8'))).toEqual({
    path: home,
    backedUpAt: restored.backedUpAt,
  })
})

test('with tokens it has the credentials too, and files that Iris does not know; nothing that only a daemon needs', async () => {
  const { to, file, from, into } = used()
  expect((await backup(from, file, true)).leftOut).toEqual([])
  expect((await restore(into, file)).left).toBe(0)
  expect(filesIn(to)).toEqual([
    'account.token',
    'config.yaml',
    'data/home.json',
    'data/team-sessions.db',
    'data/transcripts/one.jsonl',
    'home.json',
    'output_streams/one/stream.log',
    'owner',
    'store.json',
    'templates/agent.md',
    'token',
  ])
})

test('a backup is of one moment, while others write', async () => {
  const { store, to, file, from, into } = used()
  store.exec(insertTurn)
  const making = backup(from, file, false)
  let n = 0
  const writing = setInterval(() => {
    n += 1
    store.exec(`BEGIN; UPDATE turns SET message = '${n}'; UPDATE team_sessions SET last_used_at = ${n}; COMMIT`)
  }, 1)
  await making
  clearInterval(writing)
  await restore(into, file)
  using copy = new DatabaseSync(homePaths(to).database, { readOnly: true })
  expect(copy.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  const [both] = copy.prepare('SELECT message, last_used_at AS at FROM turns JOIN team_sessions').all()
  expect(both).toSatisfy(({ message, at }) => message === 'hello' || message === String(at))
})

test('a store that cannot be read is named, and not the place of the backup', async () => {
  const { home, put, file, from } = used()
  put('config.yaml', 'database:\n  path: other.db\n')
  put('other.db', 'no database '.repeat(1000))
  const named = expect.stringContaining(join(home, 'other.db'))
  await expect(backup(from, file, false)).rejects.toMatchObject({ code: 'store_unavailable', message: named })
  expect(existsSync(file)).toBe(false)
})

test('nothing is overwritten: neither a file by a backup nor a home by a restore', async () => {
  const { home, to, file, from, into, root } = used()
  await backup(from, file, false)
  const before = readFileSync(file)
  await expect(backup(from, file, false)).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('never overwrites'),
  })
  expect(readFileSync(file)).toEqual(before)
  await expect(restore(from, file)).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining(`${home} is not empty`),
  })
  mkdirSync(to)
  await restore(into, file)
  await expect(restore(into, file)).rejects.toMatchObject({ code: 'invalid_input' })
  expect(readdirSync(root).toSorted()).toEqual(['iris', 'iris.backup', 'restored'])
})

test.each([
  ['that is none', () => 'hello', 'is not a backup of Iris'],
  ['that is cut off', (whole: Buffer) => whole.subarray(0, whole.length - 5000), ''],
])('a file %s leaves no home', async (_, change, words) => {
  const { to, file, from, into, root, put } = used()
  put('data/transcripts/long.jsonl', 'x'.repeat(100_000))
  await backup(from, file, false)
  writeFileSync(file, change(readFileSync(file)))
  await expect(restore(into, file)).rejects.toThrow(words)
  expect(existsSync(to)).toBe(false)
  expect(readdirSync(root).toSorted()).toEqual(['iris', 'iris.backup'])
})

test('what is no file is no backup, and a pipe without a writer holds up nobody', async () => {
  const { to, file, from, into, root } = used()
  const pipe = join(root, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const other of [pipe, root])
    await expect(restore(into, other)).rejects.toMatchObject({
      code: 'invalid_input',
      message: `${other} is not a backup of Iris, or it is incomplete: ${other} is not a regular file, so it cannot be a database.`,
    })
  expect(existsSync(to)).toBe(false)
  const message = `There is no directory ${join(root, 'none')}.`
  await expect(backup(from, join(root, 'none', 'iris.backup'), false)).rejects.toMatchObject({
    code: 'not_found',
    message,
  })
  expect(existsSync(file)).toBe(false)
})

test.each([
  ['that was never finished', 'DELETE FROM about', 'it was never finished'],
  [
    'that was changed',
    `UPDATE pieces SET content = CAST('be cruel' AS BLOB) WHERE file = (SELECT id FROM files WHERE path LIKE 'templates%')`,
    'has changed since the backup was made',
  ],
  ['that names a file outside', `UPDATE files SET path = '../evil' WHERE path LIKE 'templates%'`, 'outside the home'],
  [
    'that names an absolute file',
    `UPDATE files SET path = '/tmp/evil' WHERE path LIKE 'templates%'`,
    'outside the home',
  ],
])('a backup %s leaves no home', async (_, sql, words) => {
  const { to, file, from, into, root } = used()
  await backup(from, file, false)
  using database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
  await expect(restore(into, file)).rejects.toThrow(words)
  expect(existsSync(to)).toBe(false)
  expect(readdirSync(root).toSorted()).toEqual(['iris', 'iris.backup'])
})

test('a backup into the home itself is refused: it would read itself without end', async () => {
  const { home, from, root } = used()
  symlinkSync(home, join(root, 'link'))
  for (const place of ['b', 'output_streams/b', '../link/data/transcripts/b'])
    await expect(backup(from, join(home, place), true)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('inside the home'),
    })
})

test('a file that came to be at its path meanwhile stays', async () => {
  const { file, from } = used()
  const made = backup(from, file, false)
  writeFileSync(file, 'another backup')
  await expect(made).rejects.toMatchObject({ message: expect.stringContaining('never overwrites') })
  expect(readFileSync(file, 'utf8')).toBe('another backup')
})

test('halves that killed commands have left are removed by the next ones', async () => {
  const { file, from, into, root, to } = used()
  writeFileSync(`${file}.part-${process.pid}`, 'half')
  writeFileSync(`${file}.part-${process.pid}-store`, 'half')
  mkdirSync(`${to}.restoring-${process.pid}`)
  await backup(from, file, false)
  await restore(into, file)
  expect(readdirSync(root).toSorted()).toEqual(['iris', 'iris.backup', 'restored'])
})

test('transcripts that are on another disk are in it', async () => {
  const { home, root, file, from, into, to } = used()
  renameSync(join(home, 'data/transcripts'), join(root, 'disk'))
  symlinkSync(join(root, 'disk'), join(home, 'data/transcripts'))
  await backup(from, file, false)
  await restore(into, file)
  expect(readFileSync(join(to, 'data/transcripts/one.jsonl'), 'utf8')).toBe('{"line": 1}\n')
})

test('links at the top of a home count as what they lead to; no other link is followed', async () => {
  const { home, root, file, from, into, to } = used()
  writeFileSync(join(root, 'dotfile.md'), 'elsewhere')
  mkdirSync(join(root, 'elsewhere'))
  writeFileSync(join(root, 'elsewhere/two.md'), 'two')
  symlinkSync(join(root, 'dotfile.md'), join(home, 'data/transcripts/link.jsonl'))
  symlinkSync(join(root, 'elsewhere'), join(home, 'linked'))
  symlinkSync(home, join(home, 'data/transcripts/round'))
  expect((await backup(from, file, true)).leftOut).toEqual([])
  await restore(into, file)
  expect(readFileSync(join(to, 'linked/two.md'), 'utf8')).toBe('two')
  expect(existsSync(join(to, 'data/transcripts/link.jsonl'))).toBe(false)
})

test('a mistake in config.yaml hides no store: the backup has it, or there is no backup', async () => {
  const { put, file, from } = used()
  put('config.yaml', 'settings: { maxProcesses: many }\ndatabase: { path: elsewhere.db }\n')
  await expect(backup(from, file, false)).rejects.toMatchObject({ code: 'config_invalid' })
  expect(existsSync(file)).toBe(false)
  put('config.yaml', 'settings: { maxProcesses: many }\n')
  await backup(from, file, false)
  expect(existsSync(file)).toBe(true)
})
