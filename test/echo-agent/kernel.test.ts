import { expect, test } from 'vitest'
import type { Ask } from '../../src/kernel/turn/ask.ts'
import { said } from './echo-process.ts'
import { EchoWorld } from './echo-world.ts'

function takenBy({ agent }: EchoWorld): readonly string[] {
  return agent.taken.map(({ text }) => said(text))
}

test('the kernel accepts, runs and answers without any feature and without a process', async () => {
  using world = await EchoWorld.open()
  const id = world.ask('hello')
  expect(await world.ended(id)).toMatchObject({ outcome: 'completed', reason: null, answer: 'hello' })
  expect(world.agent.taken.map(({ uuid }) => uuid)).toEqual([id])
  expect(world.errors).toEqual([])
})

test('the messages of a pair are run one at a time: those of high priority first, else in their order', async () => {
  using world = await EchoWorld.open()
  const first = world.ask('first')
  await world.stoppedAt('taken')
  const waiting: readonly (readonly [string, Partial<Ask>])[] = [
    ['later', { priority: 'low' }],
    ['next', {}],
    ['urgent', { priority: 'high' }],
    ['after next', {}],
  ]
  const ids = waiting.map(([message, more]) => world.ask(message, more))
  expect(takenBy(world)).toEqual(['first'])
  world.agent.goOn()
  for (const id of [first, ...ids]) expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
  expect(takenBy(world)).toEqual(['first', 'urgent', 'next', 'after next', 'later'])
  expect(world.agent.processes.size).toBe(1)
})

test('with one place for processes, two pairs take turns, and the unused process makes room', async () => {
  using world = await EchoWorld.open({ maxProcesses: 1 })
  const one = world.ask('one')
  await world.stoppedAt('taken')
  const two = world.ask('two', { pair: { from: 'b', to: 'a', thread: 'main' } })
  await world.time.pass(1000)
  expect(takenBy(world)).toEqual(['one'])
  world.agent.goOn()
  for (const id of [one, two]) expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
  expect(world.agent.processes.size).toBe(1)
})

test('a full queue refuses, and what it refuses leaves no row', async () => {
  using world = await EchoWorld.open({ queueLength: 1 })
  const ids = [world.ask('one')]
  await world.stoppedAt('taken')
  ids.push(world.ask('two'))
  expect(() => world.ask('three', { idempotencyKey: 'k' })).toThrow('is full')
  expect(world.kernel.orchestrator.idByKey('k')).toBeUndefined()
  world.agent.goOn()
  for (const id of ids) expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
})

test('a repeated key is the same turn, also after a crash', async () => {
  using world = await EchoWorld.open()
  const id = world.ask('one', { idempotencyKey: 'k' })
  expect(world.ask('one', { idempotencyKey: 'k' })).toBe(id)
  await world.stoppedAt('taken')
  await world.crash()
  expect(world.ask('one', { idempotencyKey: 'k' })).toBe(id)
  expect(() => world.ask('another', { idempotencyKey: 'k' })).toThrow('idempotency key')
  expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
})

test('a message joins the one that the agent works on; before it has begun, or afterwards, it waits like any other', async () => {
  using world = await EchoWorld.open()
  const id = world.ask('one')
  const early = world.ask('early', { whenBusy: 'steer' })
  expect(early).not.toBe(id)
  await world.stoppedAt('taken')
  expect(world.ask('two', { whenBusy: 'steer' })).toBe(id)
  world.agent.goOn()
  expect(await world.ended(id)).toMatchObject({ outcome: 'completed', answer: 'one + two' })
  expect(await world.ended(early)).toMatchObject({ outcome: 'completed', answer: 'early' })
  const late = world.ask('late', { whenBusy: 'steer' })
  expect(await world.ended(late)).toMatchObject({ answer: 'late' })
  expect(world.errors).toEqual([])
})

test('what joined a message comes with it again after a crash', async () => {
  using world = await EchoWorld.open()
  const id = world.ask('one')
  await world.stoppedAt('taken')
  world.ask('two', { whenBusy: 'steer' })
  const sessionId = world.sessionId(id)
  await world.crash(() => world.agent.cut(sessionId, 0))
  expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
  const last = world.agent.taken.at(-1)!
  expect(last.uuid).toBe(id)
  for (const each of ['one', 'two']) expect(last.text).toContain(each)
})

test('a cancelled message: at work it is interrupted, before it began it is withdrawn, waiting it never begins', async () => {
  using world = await EchoWorld.open()
  const { orchestrator } = world.kernel
  const [atWork, waiting] = [world.ask('at work'), world.ask('waiting')]
  await world.stoppedAt('taken')
  orchestrator.cancel(waiting)
  orchestrator.cancel(atWork)
  for (const id of [atWork, waiting])
    expect(await world.ended(id)).toMatchObject({ outcome: 'cancelled', reason: 'cancelled', answer: null })
  const given = world.ask('given')
  await world.stoppedAt('given')
  orchestrator.cancel(given)
  expect(await world.ended(given)).toMatchObject({ outcome: 'cancelled' })
  world.agent.goOn()
  const next = world.ask('next')
  expect(await world.ended(next)).toMatchObject({ outcome: 'completed' })
  expect(takenBy(world)).toEqual(['at work', 'next'])
  expect(world.agent.processes.size).toBe(1)
})

test('whenBusy: interrupt ends what the conversation works on; refuse throws', async () => {
  using world = await EchoWorld.open()
  const one = world.ask('one')
  await world.stoppedAt('taken')
  expect(() => world.ask('no', { whenBusy: 'refuse' })).toThrow('works on an earlier message')
  const two = world.ask('two', { whenBusy: 'interrupt' })
  expect(await world.ended(one)).toMatchObject({ outcome: 'cancelled' })
  expect(await world.ended(two)).toMatchObject({ outcome: 'completed', answer: 'two' })
})

test('a tool whose start the ledger does not take does not run', async () => {
  using world = await EchoWorld.open()
  world.agent.toolsFor = () => ['Write']
  const id = world.ask('hello')
  await world.stoppedAt('taken')
  world.kernel.breakToolStarts()
  world.agent.goOn()
  expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
  expect(world.agent.effects).toEqual([])
  expect(world.errors).toEqual([expect.stringContaining('a tool start could not be committed')])
})

test('an Iris that stops leaves what its agents work on to the next one', async () => {
  using world = await EchoWorld.open()
  const [one, two] = [world.ask('one'), world.ask('two')]
  await world.stoppedAt('taken')
  await world.kernel.orchestrator.drain(Promise.resolve())
  expect(() => world.ask('three')).toThrow('stopping')
  await world.kernel.pool.close()
  await world.time.settle()
  await world.crash()
  for (const id of [one, two]) expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
})

test('a conversation that starts over takes the waiting messages along, and not the one at work', async () => {
  using world = await EchoWorld.open()
  const [one, two, three] = [world.ask('one'), world.ask('two'), world.ask('three')]
  await world.stoppedAt('taken')
  const { orchestrator, sessions } = world.kernel
  orchestrator.startOver(sessions.find({ from: 'a', to: 'b', thread: 'main' })!, 'on request')
  orchestrator.cancel(three)
  expect(await world.ended(one)).toMatchObject({ outcome: 'cancelled' })
  expect(await world.ended(two)).toMatchObject({ outcome: 'completed', answer: 'two' })
  expect(await world.ended(three)).toMatchObject({ outcome: 'cancelled' })
  expect(takenBy(world)).toEqual(['one', 'two'])
  expect(world.sessionId(two)).not.toBe(world.sessionId(one))
})

test('two messages that wait for each other would wait for ever: the second is refused', async () => {
  using world = await EchoWorld.open()
  const one = world.ask('one')
  await world.stoppedAt('taken')
  const parent = { turnId: one, toolUseId: 't' }
  const back = { pair: { from: 'b', to: 'a', thread: 'main' }, waits: true, parent }
  expect(() => world.ask('back', back)).toThrow('would wait for itself')
  world.agent.goOn()
  expect(await world.ended(one)).toMatchObject({ outcome: 'completed' })
})
