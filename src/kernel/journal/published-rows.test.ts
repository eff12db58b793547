import { expect, test } from 'vitest'
import { newStore } from '../../../test/support/new-store.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { JournalType } from '../../base/protocol/journal.ts'
import { Ledger } from '../../platform/store/ledger.ts'
import { PublishedRows } from './published-rows.ts'

function stage() {
  const ledger = new Ledger(newStore())
  const add = (turn: string, type: JournalType = 'turn-settled') =>
    ledger.journal.add({ at: 0, type, turn, question: null })
  add('before')
  const rows = new PublishedRows(ledger.journal)
  const publish = (turnId: string, type = 'turn-settled') => rows.covers({ type, turnId } as PublishedEvent)
  return { ledger, add, rows, publish }
}

test('an event says which row it is, and which rows the events cover', () => {
  const { add, rows, publish } = stage()
  expect(rows.upTo).toBe(1)
  add('a')
  expect(rows.upTo).toBe(1)
  expect(publish('a', 'turn-message')).toEqual({ row: undefined, upTo: 1 })
  expect(publish('a')).toEqual({ row: 2, upTo: 2 })
})

test('a row whose event is still to come holds up the place', () => {
  const { add, publish } = stage()
  add('a')
  add('b')
  expect(publish('b')).toEqual({ row: 3, upTo: 1 })
  expect(publish('a')).toEqual({ row: 2, upTo: 3 })
})

test('an answer that was published before the store took it holds up nothing', () => {
  const { add, rows, publish } = stage()
  expect(publish('a')).toEqual({ row: undefined, upTo: 1 })
  add('a')
  expect(rows.upTo).toBe(2)
})

test('a row that was rolled back is forgotten with the next one of its number', () => {
  const { ledger, add, rows, publish } = stage()
  const refuse = () =>
    ledger.atomically(() => {
      add('refused')
      throw new Error('refused')
    })
  expect(refuse).toThrow('refused')
  expect(rows.upTo).toBe(1)
  add('a')
  expect(publish('a')).toEqual({ row: 2, upTo: 2 })
})

test('rows that nothing will tell are passed over', () => {
  const { add, rows, publish } = stage()
  add('silent')
  for (let n = 3; n <= 102; n++) {
    add(`${n}`)
    publish(`${n}`)
  }
  expect(rows.upTo).toBe(1)
  add('last')
  expect(publish('last')).toEqual({ row: 103, upTo: 103 })
})
