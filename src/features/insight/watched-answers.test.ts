import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { PublishedEvent } from '../../base/protocol/event.ts'
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

test('an asker hears of one change once, however many of its answers relied on the file', () => {
  const answer = { from: 'a', to: 'b', thread: 'main', sessionId: 's', path: 'x.ts', console: 'open', message: 'q' }
  const untold = ['newest', 'older'].map((turn) => ({ ...answer, turn, commit: null, author: null }))
  const others = [
    { ...untold[0]!, turn: 'of another session', console: 'another' },
    { ...untold[0]!, turn: 'of another file', path: 'y.ts' },
  ]
  const seen: Record<'told' | 'pushed' | 'published', string[]> = { told: [], pushed: [], published: [] }
  const parts = {
    rows: {
      untold: () => [...untold, ...others],
      told: (turn: string) => seen.told.push(turn),
      pushed: (turn: string) => seen.pushed.push(turn),
    },
    clock: new FakeClock(),
    publish: (event: { turnId: string }) => seen.published.push(event.turnId),
  }
  const answers = new WatchedAnswers(parts as unknown as WatchedAnswersParts)
  answers.take({ type: 'answers-drifted', team: 'b', turns: 2, at: 0 } as unknown as PublishedEvent)
  expect(seen.published).toEqual(['newest', 'of another session', 'of another file'])
  expect(seen.told.toSorted()).toEqual(['newest', 'of another file', 'of another session', 'older'])
  expect(seen.pushed).toEqual(['older'])
})
