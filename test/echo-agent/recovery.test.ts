import { describe, expect, test } from 'vitest'
import type { Moment } from './echo-agent.ts'
import { EchoWorld } from './echo-world.ts'

/** An agent that writes once for a message, and not again when it is asked to continue. */
async function worldOfWriter(onInterrupted: 'continue' | 'report'): Promise<EchoWorld> {
  const world = await EchoWorld.open({ onInterrupted })
  world.agent.toolsFor = (text) => (text.includes('<iris-continuation>') ? [] : ['Write'])
  return world
}

/** A crash at this moment, which leaves so many entries of the conversation: message, tool, its return, answer. */
async function crashedAt(moment: Moment, kept: number, onInterrupted: 'continue' | 'report' = 'continue') {
  using world = await worldOfWriter(onInterrupted)
  const id = world.ask('hello')
  await world.stoppedAt(moment)
  const sessionId = world.sessionId(id)
  await world.crash(() => world.agent.cut(sessionId, kept))
  const end = await world.ended(id)
  const [, ...again] = world.agent.taken
  return { ...end, again: again.map(({ uuid, text }) => ({ isSame: uuid === id, text })), ...worldOf(world) }
}

function worldOf({ agent, errors, kernel }: EchoWorld) {
  expect(errors).toEqual([])
  expect([...agent.processes].length).toBe(kernel.pool.size)
  return { effects: agent.effects }
}

const write = 'These tools may or may not have had their effect: Write.'

describe('after a crash of everything', () => {
  test('a message without a trace is given to the agent again, as it was', async () => {
    const { outcome, answer, again, effects } = await crashedAt('taken', 0)
    expect({ outcome, answer, effects }).toEqual({ outcome: 'completed', answer: 'hello', effects: ['Write'] })
    expect(again).toEqual([{ isSame: true, text: expect.stringContaining('hello') }])
    expect(again[0]!.text).not.toContain('<iris-continuation>')
  })

  test.each<[string, Moment, number, boolean, boolean]>([
    // Which tools are in doubt, and whether the conversation still has the message, which is then not repeated.
    ['the message, and no tool began', 'taken', 1, false, true],
    ['nothing, but a tool began', 'begun', 0, true, false],
    ['the message, and a tool began', 'begun', 1, true, true],
    ['the message and the begin of its tool', 'begun', 2, true, true],
    ['nothing, but a tool returned', 'returned', 0, true, false],
    ['the message, and a tool returned', 'returned', 1, true, true],
    ['all but the return of its tool', 'returned', 2, true, true],
    ['the return of its tool', 'returned', 3, false, true],
    ['nothing, but the agent had answered', 'answered', 0, true, false],
    ['all but the answer', 'answered', 3, false, true],
  ])('a message of which there is left: %s; goes on under another id', async (_, moment, kept, isInDoubt, isKnown) => {
    const { outcome, again, effects } = await crashedAt(moment, kept)
    expect(outcome).toBe('completed')
    expect(again).toHaveLength(1)
    const [{ isSame, text }] = again as [(typeof again)[number]]
    expect({ isSame, isInDoubt: text.includes('Write'), isKnown: !text.includes('<iris-message') }).toEqual({
      isSame: false,
      isInDoubt,
      isKnown,
    })
    expect(text).toContain('<iris-continuation>')
    expect(effects).toEqual(moment === 'taken' ? [] : ['Write'])
  })

  test('an answer that the conversation holds is the answer, and nothing is given again', async () => {
    const { outcome, answer, again, effects } = await crashedAt('answered', 4)
    expect({ outcome, answer, again, effects }).toEqual({
      outcome: 'completed',
      answer: 'hello',
      again: [],
      effects: ['Write'],
    })
  })

  test.each<[string, Moment, number, string | undefined]>([
    ['the message', 'taken', 1, undefined],
    ['nothing, but a tool began', 'begun', 0, write],
    ['the message and the begin of its tool', 'begun', 2, write],
    ['the return of its tool', 'returned', 3, undefined],
    ['nothing, but the agent had answered', 'answered', 0, write],
  ])('with onInterrupted: report, a message of which there is left: %s; is in doubt', async (_, moment, kept, said) => {
    const { outcome, reason, detail, again } = await crashedAt(moment, kept, 'report')
    expect({ outcome, reason, again }).toEqual({ outcome: 'in_doubt', reason: 'interrupted', again: [] })
    expect(detail).toContain('The work was cut off.')
    expect(detail!.includes(write)).toBe(said !== undefined)
  })

  test('with onInterrupted: report, a message without a trace is given to the agent again', async () => {
    expect(await crashedAt('taken', 0, 'report')).toMatchObject({ outcome: 'completed', again: [{ isSame: true }] })
  })
})

test('a process that dies by itself leaves its message to the next one, as a crash does', async () => {
  using world = await worldOfWriter('continue')
  const id = world.ask('hello')
  await world.stoppedAt('begun')
  world.agent.killAll()
  expect(await world.ended(id)).toMatchObject({ outcome: 'completed' })
  expect(world.agent.taken.map(({ uuid }) => uuid === id)).toEqual([true, false])
  expect(world.agent.effects).toEqual(['Write'])
})

test('a message whose process dies each time is given up, and in doubt if a tool began', async () => {
  using world = await EchoWorld.open()
  world.agent.toolsFor = () => ['Write']
  const id = world.ask('hello')
  for (let deaths = 0; deaths < 4; deaths++) {
    await world.stoppedAt('begun')
    world.agent.killAll()
  }
  expect(await world.ended(id)).toMatchObject({ outcome: 'in_doubt', reason: 'interrupted' })
  expect(world.agent.taken).toHaveLength(4)
})

test('a crash in each moment of the kernel itself loses nothing and runs nothing twice', async () => {
  for (const checkpoint of ['accepted', 'written', 'result-read', 'settled'] as const) {
    using world = await worldOfWriter('continue')
    world.crashAt(checkpoint)
    const id = world.ask('hello')
    await world.crashed()
    expect([checkpoint, await world.ended(id)]).toMatchObject([checkpoint, { outcome: 'completed', answer: 'hello' }])
    expect(world.agent.effects).toEqual(['Write'])
    expect(world.errors).toEqual([])
  }
})

test('messages that waited are run after a crash, in their order, in the conversation where they were accepted', async () => {
  using world = await EchoWorld.open()
  const ids = ['one', 'two', 'three'].map((message) => world.ask(message))
  await world.stoppedAt('answered')
  await world.crash()
  const ends = []
  for (const id of ids) ends.push((await world.ended(id)).answer)
  expect(ends).toEqual(['one', 'two', 'three'])
  expect(world.agent.taken.map(({ uuid }) => uuid)).toEqual(ids)
  expect(new Set(ids.map((id) => world.sessionId(id))).size).toBe(1)
})
