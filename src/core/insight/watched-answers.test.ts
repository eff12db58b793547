import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { WatchedAnswers, type WatchedAnswersParts } from './watched-answers.ts'

/** A store that can stop to read and write, with one watched answer. */
function watched() {
  const clock = new FakeClock()
  const store = { isBroken: false }
  const use = <Result>(result: Result): Result => {
    if (store.isBroken) throw new Error('disk I/O error')
    return result
  }
  const rows = { add: () => use(undefined), teams: () => use(['backend']) }
  const compared: string[] = []
  const compare = async (teams: Iterable<string>) => void compared.push(...teams)
  const parts = {
    rows,
    drift: { compare },
    collisions: {},
    clock,
    publish: () => {},
    log: { info: () => {}, warn: () => {} },
  }
  return { answers: new WatchedAnswers(parts as unknown as WatchedAnswersParts), clock, store, compared }
}

test('a store that cannot be read for a while ends neither Iris nor the comparisons', async () => {
  const { answers, clock, store, compared } = watched()
  answers.watch('turn', {})
  store.isBroken = true
  await clock.advance(30_000)
  expect(compared).toEqual([])
  store.isBroken = false
  await clock.advance(15_000)
  expect(compared).toEqual(['backend'])
  await answers.close()
})

test('a store that cannot be read at the start is read later', async () => {
  const { answers, clock, store, compared } = watched()
  store.isBroken = true
  answers.begin()
  store.isBroken = false
  await clock.advance(15_000)
  expect(compared).toEqual(['backend'])
  await answers.close()
})

test('an ask that was accepted does not fail because its answer cannot be watched', () => {
  const { answers, store } = watched()
  store.isBroken = true
  expect(() => answers.watch('turn', {})).not.toThrow()
})
