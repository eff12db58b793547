import { expect, test } from 'vitest'
import { newStore } from '../../../test/support/new-store.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
import type { JournalType } from '../../base/protocol/journal.ts'
import { Ledger } from '../../platform/store/ledger.ts'
import { ToldRows } from './told-rows.ts'

function stage() {
  const ledger = new Ledger(newStore())
  const add = (turn: string, type: JournalType = 'turn-settled') =>
    ledger.journal.add({ at: 0, type, turn, question: null })
  add('before')
  const told = new ToldRows(ledger.journal)
  const publish = (turnId: string, type = 'turn-settled') => told.published({ type, turnId } as PublishedEvent)
  return { ledger, add, told, publish }
}

test('an event says which row it is, and how far the journal is told', () => {
  const { add, told, publish } = stage()
  expect(told.upTo).toBe(1)
  add('a')
  expect(told.upTo).toBe(1)
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

test('an answer that was told before the store took it holds up nothing', () => {
  const { add, told, publish } = stage()
  expect(publish('a')).toEqual({ row: undefined, upTo: 1 })
  add('a')
  expect(told.upTo).toBe(2)
})

test('a row that was rolled back is forgotten with the next one of its number', () => {
  const { ledger, add, told, publish } = stage()
  const refuse = () =>
    ledger.atomically(() => {
      add('refused')
      throw new Error('refused')
    })
  expect(refuse).toThrow('refused')
  expect(told.upTo).toBe(1)
  add('a')
  expect(publish('a')).toEqual({ row: 2, upTo: 2 })
})

test('rows that nothing will tell are passed over', () => {
  const { add, told, publish } = stage()
  add('silent')
  for (let n = 3; n <= 102; n++) {
    add(`${n}`)
    publish(`${n}`)
  }
  expect(told.upTo).toBe(1)
  add('last')
  expect(publish('last')).toEqual({ row: 103, upTo: 103 })
})
