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

test.each(['', ', also after a crash'])(
  'those of high priority are run first, else each in its order%s',
  async (crash) => {
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
    if (crash === '') world.agent.resume()
    else await world.crash()
    for (const id of [first, ...ids]) expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
    expect(takenBy(world).filter((text) => !text.includes('<iris-continuation>'))).toEqual([
      'first',
      'urgent',
      'next',
      'after next',
      'later',
    ])
    expect(world.agent.processes.size).toBe(1)
  },
)

test('with one place for processes, two pairs take turns, and the unused process makes room', async () => {
  using world = await EchoWorld.open({ maxProcesses: 1 })
  const one = world.ask('one')
  await world.stoppedAt('taken')
  const two = world.ask('two', { pair: { from: 'b', to: 'a', thread: 'main' } })
  await world.time.pass(1000)
  expect(takenBy(world)).toEqual(['one'])
  world.agent.resume()
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
  world.agent.resume()
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
  world.agent.resume()
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
  world.agent.resume()
  const next = world.ask('next')
  expect(await world.ended(next)).toMatchObject({ outcome: 'completed' })
  expect(takenBy(world)).toEqual(['at work', 'next'])
  expect(world.agent.processes.size).toBe(1)
})

test('whenBusy: interrupt ends what the conversation works on; refuse throws', async () => {
  using world = await EchoWorld.open()
  const one = world.ask('one')
  await world.stoppedAt('taken')
  expect(() => world.ask('no', { whenBusy: 'refuse' })).toThrow('is still working on an earlier message')
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
  world.agent.resume()
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
  orchestrator.startOver(sessions.openLive({ from: 'a', to: 'b', thread: 'main' })!, 'on request')
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
  world.agent.resume()
  expect(await world.ended(one)).toMatchObject({ outcome: 'completed' })
})

test('a hundred messages at once for a new pair: one conversation, one process, each answered in its order', async () => {
  using world = await EchoWorld.open({ queueLength: 100 })
  const messages = Array.from({ length: 100 }, (_, index) => `message ${index}`)
  const ids = messages.map((message) => world.ask(message))
  for (const [index, id] of ids.entries()) expect(await world.ended(id)).toMatchObject({ answer: messages[index] })
  expect(takenBy(world)).toEqual(messages)
  expect([...world.agent.conversations.keys()]).toEqual([world.sessionId(ids[0]!)])
  expect(world.kernel.events.filter(({ type }) => type === 'process-spawned')).toHaveLength(1)
})

test.each<[string, string, Partial<Ask>]>([
  ['message', 'something else', {}],
  ['team', 'hello', { pair: { from: 'b', to: 'a', thread: 'main' } }],
  ['thread', 'hello', { pair: { from: 'a', to: 'b', thread: 'review' } }],
])('a key is refused for another %s', async (_, message, more) => {
  using world = await EchoWorld.open()
  const id = world.ask('hello', { idempotencyKey: 'k' })
  expect(() => world.ask(message, { ...more, idempotencyKey: 'k' })).toThrow(id)
  expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
})

test('a key whose message was refused may come again: nothing had been kept of it', async () => {
  using world = await EchoWorld.open()
  expect(() => world.ask(' ', { idempotencyKey: 'k' })).toThrow('empty')
  expect(await world.ended(world.ask('hello', { idempotencyKey: 'k' }))).toMatchObject({ answer: 'hello' })
})

test.each(['cold', 'warm'])(
  'a message is answered although what follows its commit throws, the process %s',
  async (state) => {
    using world = await EchoWorld.open()
    if (state === 'warm') await world.ended(world.ask('before'))
    world.failAt('accepted')
    expect(await world.ended(world.ask('hello'))).toMatchObject({ outcome: 'completed', answer: 'hello' })
    expect(world.errors).toEqual(['an accepted message could not be announced: Error: accepted fails'])
  },
)

test('a message that is cancelled while it waits for a place never begins, and waits no longer', async () => {
  using world = await EchoWorld.open({ maxProcesses: 1, queueTimeout: 70_000 })
  const running = world.ask('at work')
  await world.stoppedAt('taken')
  const waiting = world.ask('elsewhere', { pair: { from: 'a', to: 'b', thread: 'other' } })
  await world.time.pass(2000)
  const timers = world.time.pending(world.kernel.life)
  world.kernel.orchestrator.cancel(waiting)
  expect(await world.ended(waiting)).toMatchObject({ outcome: 'cancelled' })
  await world.time.pass(2000)
  expect(world.time.pending(world.kernel.life)).toBeLessThan(timers)
  world.agent.resume()
  expect(await world.ended(running)).toMatchObject({ outcome: 'completed' })
  expect(takenBy(world)).toEqual(['at work'])
})

test('as many messages may join another one as may wait behind it', async () => {
  using world = await EchoWorld.open({ queueLength: 2 })
  const id = world.ask('one')
  await world.stoppedAt('taken')
  for (const message of ['two', 'three']) expect(world.ask(message, { whenBusy: 'steer' })).toBe(id)
  expect(() => world.ask('four', { whenBusy: 'steer' })).toThrow('have already joined turn')
  world.agent.resume()
  expect(await world.ended(id)).toMatchObject({ answer: 'one + two + three' })
})
