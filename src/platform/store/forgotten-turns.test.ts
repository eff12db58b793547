import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { newStore } from '../../../test/support/new-store.ts'
import { ForgottenTurns } from './forgotten-turns.ts'
import type { Store } from './store.ts'

/** Adds a conversation, once, and a turn that ended at `at`, with a tool. */
function addTurn(store: Store, id: string, at: number, { parent, text = 'text', session = 1 }: Added = {}): void {
  store
    .prepare(
      `INSERT OR IGNORE INTO team_sessions (id, from_team, to_team, thread, session_id, created_at, last_used_at)
       VALUES (?1, 'a', 'b', ?2, ?2, 0, 0)`,
    )
    .run(session, `s${session}`)
  store
    .prepare(
      `INSERT INTO turns (id, session, message, parent_turn, hop, awaited, state, outcome, answer, accepted_at, settled_at)
       VALUES (?, ?, ?, ?, 0, 0, 'settled', 'completed', ?, ?, ?)`,
    )
    .run(id, session, `message ${text}`, parent ?? null, `answer ${text}`, at, at)
  store
    .prepare(
      `INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, input_short, started_at)
       VALUES (?, 'u', ?, 'Bash', '', ?, ?)`,
    )
    .run(id, id, `input ${text}`, at)
}

interface Added {
  readonly parent?: string
  readonly text?: string
  readonly session?: number
}

function prune(store: Store, before: number): number {
  const forgotten = new ForgottenTurns(store)
  const pass = forgotten.pass(before)
  let [all, calls] = [0, 0]
  for (let removed = pass.next(); removed !== undefined; removed = pass.next()) {
    all += removed
    calls += 1
  }
  forgotten.sweep(before)
  expect(calls).toBeLessThanOrEqual(Math.ceil(all / 25) + 1)
  return all
}

const idsIn = (store: Store) =>
  store
    .prepare('SELECT id FROM turns ORDER BY sequence')
    .all()
    .map(({ id }) => id)

test('turns older than the bound go with all that belongs to them; a cause stays as long as what it caused', () => {
  const store = newStore()
  for (let n = 0; n < 60; n++) addTurn(store, `old-${n}`, n, n % 3 === 0 ? {} : { parent: `old-${n - 1}` })
  addTurn(store, 'cause', 61)
  addTurn(store, 'new', 100, { parent: 'cause' })
  addTurn(store, 'newest', 50)
  expect(prune(store, 90)).toBe(60)
  // The newest turn is kept, so that its number is not used twice.
  expect(idsIn(store)).toEqual(['cause', 'new', 'newest'])
  expect(store.prepare('SELECT count(*) AS rows FROM tool_starts').get()).toEqual({ rows: 3 })
  expect(prune(store, 90)).toBe(0)
})

test('a turn that a chat or another host has not got yet stays; the question behind a rule in force loses its text', () => {
  const store = newStore()
  for (const id of ['asked', 'abroad', 'granted', 'newest']) addTurn(store, id, 1)
  store.exec(`
    INSERT INTO channel_messages (source, update_id, chat, sender, sender_name, message_id, sent_at, received_at, state, turn)
      VALUES ('s', 'u', 'c', 'p', 'P', 'm', 0, 0, 'asked', 'asked');
    INSERT INTO cluster_asks (turn, host, chain) VALUES ('abroad', 'h', '[]');
    INSERT INTO permissions (id, session, process_start, turn, tool_use_id, tool_name, input, input_hash, suggestions, directory, chain, asked_at, deadline, state)
      VALUES ('q', 1, 'p', 'granted', 'u', 'Bash', '"secret"', '', '[]', '/', '[]', 0, 0, 'allowed');
    INSERT INTO permission_grants (from_team, to_team, decision, rule, permission, granted_at) VALUES ('a', 'b', 'allow', 'Bash', 'q', 0)`)
  prune(store, 90)
  expect(idsIn(store)).toEqual(['asked', 'abroad', 'newest'])
  expect(store.prepare('SELECT turn, input FROM permissions').get()).toEqual({ turn: null, input: '{}' })
})

test('rows of every table that refers to turns are deleted with their turn', () => {
  const store = newStore()
  const tables = store.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  addTurn(store, 'one', 1)
  addTurn(store, 'two', 1)
  // With foreign keys on, a forgotten table makes the deletion fail, so each table gets a row of any values.
  store.exec('PRAGMA ignore_check_constraints = ON')
  for (const { name } of tables) {
    const columns = store.prepare(`PRAGMA table_info(${String(name)})`).all()
    const refers = store.prepare(`PRAGMA foreign_key_list(${String(name)})`).all()
    const key = refers.find(({ table, from }) => table === 'turns' && from === 'turn')
    if (key === undefined || name === 'tool_starts') continue
    const needed = columns.filter((each) => each['notnull'] === 1 || each['pk'] !== 0 || each['name'] === 'turn')
    const valueOf = ({ name: column, type }: Record<string, unknown>): string => {
      if (column === 'turn') return "'one'"
      if (column === 'session') return '1'
      return type === 'INTEGER' ? '7' : "'x'"
    }
    const names = needed.map((each) => String(each['name']))
    store.exec(`INSERT INTO ${String(name)} (${names.join()}) VALUES (${needed.map(valueOf).join()})`)
  }
  expect(prune(store, 90)).toBe(1)
})

test('the file gets smaller as its turns go', () => {
  const store = newStore()
  const forgotten = new ForgottenTurns(store)
  for (let n = 0; n < 300; n++) addTurn(store, `t${n}`, n, { text: 'x'.repeat(20_000) })
  store.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  const before = readFileSync(store.path).length
  prune(store, 1000)
  let steps = 0
  while (forgotten.shrink()) steps += 1
  store.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
  expect(steps).toBeGreaterThan(1)
  expect(readFileSync(store.path).length).toBeLessThan(before / 10)
})

test('of a deleted conversation no text is left in the files of the store', () => {
  const store = newStore()
  const secret = 'what nobody may find'
  addTurn(store, 'one', 1, { text: secret })
  addTurn(store, 'long', 2, { text: `${secret} `.repeat(1000) })
  addTurn(store, 'other', 3, { text: 'of another', session: 2 })
  const bytes = () => [store.path, `${store.path}-wal`].map((file) => readFileSync(file, 'latin1')).join()
  expect(bytes().includes(secret)).toBe(true)
  new ForgottenTurns(store).forgetSession('s1')
  expect(bytes().includes(secret)).toBe(false)
  expect(bytes().includes('of another')).toBe(true)
  expect(store.prepare("SELECT message, answer, outcome FROM turns WHERE id = 'long'").get()).toEqual({
    message: '(deleted)',
    answer: null,
    outcome: 'completed',
  })
})

test('each conversation with transcripts has the first turn that was delivered in it', () => {
  const store = newStore()
  const forgotten = new ForgottenTurns(store)
  for (let session = 1; session <= 60; session++) addTurn(store, `waiting-${session}`, session, { session })
  addTurn(store, 'overtaken', 70, { session: 2 })
  addTurn(store, 'urgent', 71, { session: 2 })
  store.exec(`
    UPDATE turns SET dispatched_at = 90 WHERE id = 'overtaken';
    UPDATE turns SET dispatched_at = 80 WHERE id = 'urgent';
    UPDATE team_sessions SET transcript_missing_since = 1 WHERE id = 3`)
  const all = [...forgotten.conversations()]
  expect(all).toHaveLength(59)
  expect(all[0]).toEqual({ sessionId: 's1', first: undefined })
  expect(all[1]).toEqual({ sessionId: 's2', first: { delivery: 'urgent', acceptedAt: 71 } })
  expect(all[2]!.sessionId).toBe('s4')
  expect([forgotten.isThere('urgent'), forgotten.isThere('none')]).toEqual([true, false])
})
