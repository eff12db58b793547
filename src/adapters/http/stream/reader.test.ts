import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { pair, Stage, take, takeWithin, textsOf } from '../../../../test/support/stream-stage.ts'
import type { PublishedEvent } from '../../../base/protocol/event.ts'
import type { Frame } from './frame.ts'

test('text that grows is told ten times a second at most, and only what is new of it', async () => {
  const stage = new Stage()
  const batches = stage.open()
  await take(batches)
  stage.says('t', 'one')
  expect(textsOf(await takeWithin(0, stage, batches))).toMatchObject([{ turnId: 't', at: 0, text: 'one' }])
  for (const more of [' two', ' three']) stage.says('t', `${stage.live[0]!.text}${more}`)
  const second = take(batches)
  await stage.clock.advance(99)
  stage.says('t', 'one two three four')
  await stage.clock.advance(1)
  expect(textsOf(await second)).toMatchObject([{ at: 3, text: ' two three four' }])
  stage.says('t', 'begun again')
  expect(textsOf(await takeWithin(100, stage, batches))).toMatchObject([{ at: 0, text: 'begun again' }])
  stage.gone.abort()
})

test('what a turn thinks is told apart from what it says, and is void once it is thought', async () => {
  const stage = new Stage()
  const batches = stage.open()
  await take(batches)
  const told = (batch: readonly Frame[]) => batch.map(({ type, json }) => ({ type, ...JSON.parse(json) }))
  stage.says('t', '', 'I must')
  expect(told(await takeWithin(0, stage, batches))).toEqual([
    { type: 'turn-thinking', turnId: 't', ...pair, at: 0, text: 'I must' },
  ])
  stage.says('t', '', 'I must look.')
  expect(told(await takeWithin(100, stage, batches))).toMatchObject([{ type: 'turn-thinking', at: 6, text: ' look.' }])
  stage.says('t', 'I look.')
  expect(told(await takeWithin(100, stage, batches))).toMatchObject([
    { type: 'turn-text', at: 0, text: 'I look.' },
    { type: 'turn-thinking', at: 0, text: '' },
  ])
  expect(told(await take(stage.open('e-0.0')))).toMatchObject([
    { type: 'turn-text', at: 0, text: 'I look.' },
    { type: 'turn-thinking', at: 0, text: '' },
  ])
  stage.gone.abort()
})

test('what is made once for all readers fits each: who comes later or was slow has the whole text, too', async () => {
  const stage = new Stage()
  const [quick, slow] = [stage.open(), stage.open()]
  await take(quick)
  await take(slow)
  stage.says('t', 'a')
  expect(textsOf(await takeWithin(0, stage, quick))).toMatchObject([{ at: 0, text: 'a' }])
  stage.says('t', 'ab')
  const late = stage.open('e-0.0')
  expect(textsOf(await take(late))).toMatchObject([{ at: 0, text: 'ab' }])
  expect(textsOf(await takeWithin(100, stage, quick))).toMatchObject([{ at: 1, text: 'b' }])
  expect(textsOf(await take(slow))).toMatchObject([
    { at: 0, text: 'a' },
    { at: 1, text: 'b' },
  ])
  for (let length = 3; length <= 100; length += 1) {
    stage.says('t', 'x'.repeat(length))
    await stage.clock.advance(100)
  }
  expect(textsOf(await take(slow))).toMatchObject([{ at: 0, text: 'x'.repeat(100) }])
  stage.gone.abort()
})

test('a text comes after the beginning of its turn, and none after its end', async () => {
  const stage = new Stage()
  const [quick, slow] = [stage.open(), stage.open()]
  await take(quick)
  await take(slow)
  stage.accepted('t')
  stage.says('t', 'one')
  await stage.clock.advance(0)
  expect((await take(quick)).map(({ type }) => type)).toEqual(['turn-accepted', 'turn-text'])
  stage.says('t', 'one two')
  await stage.clock.advance(100)
  stage.settled('t')
  for (const batches of [quick, slow]) {
    expect((await takeWithin(100, stage, batches)).map(({ type }) => type)).not.toContain('turn-text')
  }
  stage.gone.abort()
})

test('what happens in a burst goes out in one batch, and what comes while that is sent is not lost', async () => {
  const stage = new Stage()
  const batches = stage.open()
  await take(batches)
  for (const turn of ['t1', 't2', 't3']) stage.accepted(turn)
  const burst = await takeWithin(0, stage, batches)
  expect(burst.map(({ id }) => id)).toEqual(['e-1.1', 'e-2.2', 'e-3.3'])
  // The flush comes while nobody waits for it.
  stage.accepted('t4')
  await stage.clock.advance(100)
  expect((await take(batches)).map(({ id }) => id)).toEqual(['e-4.4'])
  stage.gone.abort()
})

test('much goes out in batches, so that no more is made for who does not take it', async () => {
  const stage = new Stage()
  const batches = stage.open()
  await take(batches)
  for (let turn = 1; turn <= 100; turn += 1) stage.accepted(`t${turn}-${'x'.repeat(10_000)}`)
  await stage.clock.advance(0)
  const taken = [await take(batches), await take(batches)]
  for (const cached of taken) expect(cached.map(({ json }) => json).join('').length).toBeLessThan(80_000)
  expect(taken[1]![0]!.id).toBe(`e-${taken[0]!.length + 1}.${taken[0]!.length + 1}`)
  stage.gone.abort()
})

test('a reader that does not drain gets each event that is kept, and the present state again; nobody waits for it', async () => {
  const stage = new Stage({ events: 10, lineBytes: 1000 })
  const batches = stage.open()
  await take(batches)
  stage.accepted('t1')
  expect(await takeWithin(0, stage, batches)).toMatchObject([{ id: 'e-1.1' }])
  for (let turn = 2; turn <= 30; turn += 1) stage.accepted(`t${turn}`)
  expect(await take(batches)).toEqual([{ type: 'gap', json: '{"gap":true}' }])
  const [kept, remembered] = [await take(batches), await take(batches)]
  expect(kept.length + remembered.length).toBe(29)
  const rows = [...kept, ...remembered].map(({ id }) => id?.replace(/\.\d+$/, ''))
  expect(rows).toEqual(Array.from({ length: 29 }, (_, index) => `e-${index + 2}`))
  expect(remembered.length).toBeGreaterThanOrEqual(9)
  expect(await take(batches)).toMatchObject([{ type: 'snapshot', id: 'e-30.30' }])
  stage.accepted('t31')
  expect(await takeWithin(0, stage, batches)).toMatchObject([{ type: 'turn-accepted', id: 'e-31.31' }])
  stage.gone.abort()
})

test('who comes back to another start of Iris gets what it missed, lines of memory too, and then how things stand', async () => {
  const stage = new Stage(undefined, ['t1', 't2'])
  const other = stage.open()
  await take(other)
  stage.accepted('t3')
  stage.line('t3')
  stage.settled('t3')
  const batches = stage.open('earlier-1.70')
  expect(await take(batches)).toEqual([{ type: 'gap', json: '{"gap":true}' }])
  expect((await take(batches)).map(({ id, json }) => [id, JSON.parse(json).turnId])).toEqual([['e-2', 't2']])
  expect((await take(batches)).map(({ id, type }) => [id, type])).toEqual([
    ['e-3.1', 'turn-accepted'],
    ['e-3.2', 'turn-message'],
    ['e-4.3', 'turn-settled'],
  ])
  expect(await take(batches)).toMatchObject([{ type: 'snapshot', id: 'e-4.3' }])
  stage.accepted('t4')
  expect((await takeWithin(0, stage, batches)).map(({ id }) => id)).toEqual(['e-5.4'])
  stage.gone.abort()
})

test('after a gap in memory the lines that it still has come in their places', async () => {
  const stage = new Stage({ events: 10, lineBytes: 1000 })
  const batches = stage.open()
  await take(batches)
  stage.accepted('t1')
  await takeWithin(0, stage, batches)
  for (let turn = 2; turn <= 12; turn += 1) {
    stage.accepted(`t${turn}`)
    stage.line(`t${turn}`)
  }
  expect(await take(batches)).toEqual([{ type: 'gap', json: '{"gap":true}' }])
  const kept = (await take(batches)).map(({ id, type }) => [type, id])
  const remembered = (await take(batches)).map(({ id, type }) => [type, id])
  expect(kept.every(([type]) => type === 'turn-accepted')).toBe(true)
  expect(remembered.slice(-4)).toEqual([
    ['turn-accepted', 'e-11.20'],
    ['turn-message', 'e-11.21'],
    ['turn-accepted', 'e-12.22'],
    ['turn-message', 'e-12.23'],
  ])
  expect([...kept, ...remembered].filter(([type]) => type === 'turn-accepted')).toHaveLength(11)
  expect(await take(batches)).toMatchObject([{ type: 'snapshot', id: 'e-12.23' }])
  stage.gone.abort()
})

test('an event that comes while the kept ones are read is sent once', async () => {
  const stage = new Stage(undefined, ['t1'])
  const batches = stage.open('earlier-0.5')
  const { confirmed } = stage.journal
  stage.journal.confirmed = async () => {
    stage.accepted('t2')
    return confirmed()
  }
  await take(batches)
  expect((await take(batches)).map(({ id }) => id)).toEqual(['e-1'])
  expect((await take(batches)).map(({ id }) => id)).toEqual(['e-2.1'])
  expect(await take(batches)).toMatchObject([{ type: 'snapshot', id: 'e-2.1' }])
  stage.accepted('t3')
  expect((await takeWithin(0, stage, batches)).map(({ id }) => id)).toEqual(['e-3.2'])
  stage.gone.abort()
})

test('lines that were not kept since nobody read are a gap, and the events after it are whole', async () => {
  const stage = new Stage()
  stage.accepted('t1')
  stage.line('t1')
  stage.settled('t1')
  const batches = stage.open('e-1.1')
  expect(await take(batches)).toEqual([{ type: 'gap', json: '{"gap":true}' }])
  expect((await take(batches)).map(({ id }) => id)).toEqual(['e-2.3'])
  expect(stage.snapshots).toBe(0)
  stage.accepted('t2')
  expect((await take(stage.open('e-2.3'))).map(({ type }) => type)).toEqual(['turn-accepted'])
  stage.gone.abort()
})

test('a place that the store does not know is a gap, with the first cursor to read from', async () => {
  const stage = new Stage()
  for (const turn of ['t1', 't2', 't3']) stage.accepted(turn)
  stage.journal.oldest = 3
  const batches = stage.open('earlier-1.70')
  expect(await take(batches)).toEqual([{ type: 'gap', json: '{"gap":true,"first":"e-2"}' }])
  expect(await take(batches)).toMatchObject([{ type: 'snapshot', id: 'e-3.3' }])
  stage.gone.abort()
})

test('a reader resumes with the cursor of a kept event', async () => {
  const stage = new Stage()
  for (const turn of ['t1', 't2']) stage.accepted(turn)
  expect((await take(stage.open('e-1'))).map(({ id }) => id)).toEqual(['e-2.2'])
  expect(stage.snapshots).toBe(0)
  stage.gone.abort()
})

test('after the cursor of a kept event nothing is repeated, also where Iris keeps nothing of it, and nothing is left out', async () => {
  const stage = new Stage()
  const reader = stage.open()
  await take(reader)
  for (const turn of ['t1', 't2']) {
    stage.accepted(turn)
    stage.line(turn)
  }
  const all = await takeWithin(0, stage, reader)
  const resumed = stage.open('e-2')
  expect(await take(resumed)).toEqual(all.slice(-1))
  stage.accepted('t3')
  await stage.clock.advance(100)
  expect((await take(resumed)).map(({ id }) => id)).toEqual(['e-3.5'])
  stage.gone.abort()
})

test('what was missed comes first when a reader comes back', async () => {
  const stage = new Stage()
  for (const turn of ['t1', 't2', 't3']) stage.accepted(turn)
  expect((await take(stage.open('e-1.1'))).map(({ id }) => id)).toEqual(['e-2.2', 'e-3.3'])
  expect(stage.snapshots).toBe(0)
  stage.gone.abort()
})

test('readers at the same position get the same batch, others their own', async () => {
  const stage = new Stage()
  const readers = [stage.open(), stage.open(), stage.open(undefined, stage.gone.signal, { team: ['backend'] })]
  for (const reader of readers) await take(reader)
  stage.accepted('t')
  const [one, two, filtered] = [await take(readers[0]!), await take(readers[1]!), await take(readers[2]!)]
  expect(two).toBe(one)
  expect(filtered).toEqual(one)
  expect(filtered).not.toBe(one)
  stage.gone.abort()
})

test('a silent stream shows that it is still there', async () => {
  const stage = new Stage()
  const batches = stage.open()
  await take(batches)
  const beat = take(batches)
  await stage.clock.advance(15_000)
  expect(await beat).toMatchObject([{ type: 'beat' }])
  stage.gone.abort()
})

test('so does one on which much happens that does not concern its reader', async () => {
  const stage = new Stage()
  const batches = stage.open(undefined, stage.gone.signal, { team: ['frontend'] })
  await take(batches)
  const beat = take(batches)
  for (let second = 0; second < 20; second += 1) {
    stage.accepted(`t${second}`)
    await stage.clock.advance(1000)
  }
  expect(await beat).toMatchObject([{ type: 'beat' }])
  stage.gone.abort()
})

test('a reader that has gone is no longer counted', async () => {
  const stage = new Stage()
  const batches = stage.open()
  await take(batches)
  stage.gone.abort()
  expect((await batches.next()).done).toBe(true)
  // Lines of conversations are kept only while there are readers: one that returns gets the text of the turn.
  stage.says('t', 'one')
  stage.events$.next({ type: 'turn-message', turnId: 't', message: { type: 'assistant' }, ...pair, sequence: 2, at: 0 })
  const again = stage.open('e-0.1', new AbortController().signal)
  expect(await take(again)).toMatchObject([{ type: 'gap' }])
  expect(await take(again)).toMatchObject([{ type: 'turn-text' }, { type: 'turn-thinking' }])
  await again.return()
  expect(stage.clock.pending).toBe(0)
})

test('while nobody reads, lines are not kept, and nothing else is lost', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const stage = new Stage()
  const accepted = () => ({ type: 'turn-accepted', turnId: 't', parentTurnId: null, ...pair, sequence: 1, at: 0 })
  const publish = (event: object): WeakRef<object> => {
    stage.events$.next(event as unknown as PublishedEvent)
    return new WeakRef(event)
  }
  const settled = { ...accepted(), type: 'turn-settled', sequence: 3 }
  publish({ ...accepted(), turnId: 'earlier' })
  const line = publish({
    type: 'turn-message',
    turnId: 't',
    message: { type: 'assistant' },
    ...pair,
    sequence: 2,
    at: 0,
  })
  publish(settled)
  // The target of a WeakRef lives until the end of the tick that made it.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(line.deref()).toBeUndefined()
  const again = stage.open('e-1.1')
  expect(await take(again)).toMatchObject([{ type: 'gap' }])
  expect((await take(again)).map(({ id, type }) => [id, type])).toEqual([['e-2.3', 'turn-settled']])
  expect(stage.snapshots).toBe(0)
  stage.gone.abort()
})
