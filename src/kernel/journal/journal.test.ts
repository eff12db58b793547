import { expect, test } from 'vitest'
import { exampleStore } from '../../../test/stores/example-store.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { newStore } from '../../../test/support/new-store.ts'
import { createLog } from '../../base/lib/log.ts'
import type { JournalType } from '../../base/protocol/journal.ts'
import { JournalRows } from '../../platform/store/journal.ts'
import { Ledger } from '../../platform/store/ledger.ts'
import type { Store } from '../../platform/store/store.ts'
import { type KeptJournal, openJournal } from './journal.ts'

const dayMs = 86_400_000

/** A start of the daemon on this store. */
class Start {
  readonly clock = new FakeClock()
  readonly store: Store
  readonly ledger: Ledger
  readonly journal: KeptJournal

  constructor(store: Store, epoch: string) {
    this.store = store
    const { clock } = this
    this.ledger = new Ledger(store)
    const log = createLog({ least: () => 'error' })
    this.journal = openJournal({ ledger: this.ledger, newId: () => `00000000-0000-4000-8000-${epoch}`, clock, log })
  }

  add(turn: string, at = 0, type: JournalType = 'turn-accepted'): void {
    this.ledger.journal.add({ at, type, turn, question: null })
  }

  get turns(): readonly string[] {
    return this.journal.read(0, Number.MAX_SAFE_INTEGER, 10_000).map(({ turnId }) => turnId)
  }
}

const [a, b, c] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc'] as const

test('a cursor names the start of the daemon that wrote the row, and a row that another start wrote under that number has another one', async () => {
  const store = newStore()
  const first = new Start(store, a)
  expect(first.journal.first()).toBe(`${a}-0`)
  first.add('one')
  first.add('two')
  expect(await first.journal.confirmed()).toBe(2)
  expect(first.journal.cursorOf(2)).toBe(`${a}-2`)
  const second = new Start(store, b)
  second.add('three')
  expect(second.journal.cursorOf(3)).toBe(`${b}-3`)
  const known = [`${a}-0`, `${a}-2`, `${b}-2`, `${b}-3`].map((cursor) => second.journal.sequenceOf(cursor))
  expect(known).toEqual([0, 2, 2, 3])
  const unknown = [`${a}-3`, `${b}-1`, `${b}-4`, `${c}-1`, 'nonsense', `${a}-`, `${a}--1`, `${a}-1.5`, `${a}-1e0`]
  expect(unknown.map((cursor) => second.journal.sequenceOf(cursor))).toEqual(unknown.map(() => undefined))
})

test('the rows of a backup go on under another epoch', () => {
  const lived = newStore()
  new Start(lived, a).add('one')
  const backup = new Start(newStore(), a)
  backup.add('one')
  new Start(lived, b).add('two')
  const restored = new Start(backup.store, c)
  restored.add('another')
  expect(restored.journal.sequenceOf(`${a}-1`)).toBe(1)
  expect(restored.journal.sequenceOf(`${b}-2`)).toBeUndefined()
  expect(restored.journal.cursorOf(2)).toBe(`${c}-2`)
})

test('rows come in their order, up to a number and a limit', () => {
  const start = new Start(newStore(), a)
  for (const turn of ['one', 'two', 'three', 'four']) start.add(turn)
  expect(start.journal.read(1, 3, 10).map(({ turnId }) => turnId)).toEqual(['two', 'three'])
  expect(start.journal.read(0, 4, 1)).toEqual([{ sequence: 1, at: 0, type: 'turn-accepted', turnId: 'one' }])
})

test('a turn that another host asked is none of the events here', () => {
  const start = new Start(newStore(), a)
  for (const turn of ['own', 'theirs']) start.add(turn)
  start.store.exec(`INSERT INTO cluster_asks (turn, host, chain) VALUES ('theirs', 'desk', '[]')`)
  expect(start.turns).toEqual(['own'])
})

test('a listener hears of rows once their transaction is over, once for many, and not after its end', async () => {
  const start = new Start(newStore(), a)
  const heard: boolean[] = []
  const end = start.journal.onRows(() => heard.push(start.store.isTransaction))
  start.ledger.written(() => {
    start.add('one')
    start.add('two')
  })
  await Promise.resolve()
  expect(heard).toEqual([false])
  end()
  start.add('three')
  await Promise.resolve()
  expect(heard).toEqual([false])
})

test('rows older than 30 days go, in pieces, but never the newest one; a cursor before what is left is unknown', async () => {
  const start = new Start(newStore(), a)
  start.ledger.written(() => {
    for (let n = 1; n <= 2500; n++) start.add(`old-${n}`, n)
  })
  await start.clock.advance(31 * dayMs)
  await start.journal.pruneDaily(Promise.resolve())
  expect(start.turns).toEqual(['old-2500'])
  expect(start.journal.first()).toBe(`${a}-2499`)
  expect([`${a}-2498`, `${a}-2499`].map((cursor) => start.journal.sequenceOf(cursor))).toEqual([undefined, 2499])
  start.add('new', start.clock.now())
  expect(start.journal.cursorOf(2501)).toBe(`${a}-2501`)
  expect(start.turns).toEqual(['old-2500', 'new'])
})

test('each day what has got old goes, and epochs without rows go with it', async () => {
  const store = newStore()
  new Start(store, a).add('one', 0)
  const start = new Start(store, b)
  start.add('two', 2 * dayMs)
  start.add('three', 40 * dayMs)
  await start.clock.advance(29 * dayMs)
  await start.journal.pruneDaily(Promise.resolve())
  expect(start.turns).toHaveLength(3)
  await start.clock.advance(4 * dayMs)
  await start.journal.end()
  expect(start.turns).toEqual(['three'])
  expect(store.prepare('SELECT id FROM journal_epochs').all()).toEqual([{ id: b }])
})

test('Iris starts on a store that takes nothing, and the epoch comes with the first row', () => {
  const store = newStore()
  const refuse = `CREATE TEMP TRIGGER full BEFORE INSERT ON journal_epochs BEGIN SELECT RAISE(ABORT, 'full'); END`
  store.exec(refuse)
  const empty = new Start(store, c).journal
  expect([empty.first(), empty.sequenceOf(empty.first())]).toEqual([`${c}-0`, 0])
  store.exec('DROP TRIGGER full')
  new Start(store, a).add('one')
  store.exec(refuse)
  const start = new Start(store, b)
  expect(start.journal.cursorOf(1)).toBe(`${a}-1`)
  store.exec('DROP TRIGGER full')
  start.add('two')
  start.add('three')
  expect([1, 2, 3].map((sequence) => start.journal.cursorOf(sequence))).toEqual([`${a}-1`, `${b}-2`, `${b}-3`])
})

test('a rebuilt store gets the rows that are lost, and no row twice', () => {
  using store = exampleStore()
  const rows = new JournalRows(store)
  const told = (): string[] => {
    const all = store.prepare('SELECT type, COALESCE(question, turn) AS about FROM journal').all()
    return all.map((row) => Object.values(row).join(' ')).toSorted()
  }
  rows.complete(0)
  const whole = told()
  expect(new Set(whole).size).toBe(whole.length)
  expect(new Set(whole.map((row) => row.split(' ')[0]))).toEqual(
    new Set(['turn-accepted', 'turn-settled', 'permission:request', 'permission:resolved']),
  )
  rows.complete(0)
  expect(told()).toEqual(whole)
  store.exec('DELETE FROM journal WHERE sequence % 2 = 0 AND at > (SELECT MIN(at) FROM journal)')
  rows.complete(0)
  expect(told()).toEqual(whole)
  // If no row is left, the rows about turns of the last 30 days are added again.
  store.exec('DELETE FROM journal')
  rows.complete(Number.MAX_SAFE_INTEGER)
  expect(told()).toEqual([])
  rows.complete(0)
  expect(told()).toEqual(whole)
})
