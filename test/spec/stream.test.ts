import { expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { EventStream } from '../support/event-stream.ts'
import { TestIris } from '../support/iris.ts'
import { Stage } from '../support/stage.ts'
import { spoken } from '../support/world.ts'

const teams = { backend: {}, frontend: {} }

const typesOf = (stream: EventStream) => stream.received.map(({ type }) => type)

test('a reader is told how things stand, then what happens, in order', async () => {
  await using stage = await Stage.start({ teams })
  const { iris } = stage
  await using stream = await EventStream.open(iris)
  expect(await stream.next('snapshot')).toMatchObject({
    data: { teams: [{ name: 'backend', status: 'asleep' }, { name: 'frontend' }], turns: [] },
  })
  const { turnId } = await ask(iris, 'backend', 'hello')
  await stream.next('turn-settled')
  const own = stream.received.filter(({ data }) => data['turnId'] === turnId).map(({ type }) => type)
  expect(own.filter((type) => type !== 'turn-message' && type !== 'turn-text')).toEqual([
    'turn-accepted',
    'turn-delivered',
    'turn-settled',
  ])
  expect(typesOf(stream)).toContain('process-spawned')
})

test('who comes back with the last id gets what was missed and no more', async () => {
  await using stage = await Stage.start({ teams })
  const { iris } = stage
  const first = await EventStream.open(iris)
  await ask(iris, 'backend', 'one')
  const { id } = await first.next('turn-settled')
  await first[Symbol.asyncDispose]()
  await iris.event('process-spawned')
  const missed = await ask(iris, 'frontend', 'two', { timeout: -1 })
  await iris.event('turn-accepted', ({ turnId }) => turnId === missed.turnId)
  await using second = await EventStream.open(iris, '', id)
  await second.next('turn-settled', ({ turnId }) => turnId === missed.turnId)
  const numbers = second.received.flatMap((each) => (each.id === undefined ? [] : [Number(each.id.split('-')[1])]))
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(second.received.some(({ data }) => data['turnId'] === missed.turnId)).toBe(true)
})

test('an id of another start of Iris is answered with how things stand', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start({ teams })
  const { iris } = stage
  await using stream = await EventStream.open(iris, '', 'earlier-7')
  expect((await stream.next('snapshot')).id).toMatch(/^\w+-\d+\.\d+$/)
})

test('a filter leaves out what concerns others', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start({ teams })
  const { iris } = stage
  await using stream = await EventStream.open(iris, '?team=frontend')
  await stream.next('snapshot')
  await ask(iris, 'backend', 'one')
  await ask(iris, 'frontend', 'two')
  await stream.next('turn-settled', ({ to }) => to === 'frontend')
  expect(stream.received.filter(({ data }) => data['to'] === 'backend')).toEqual([])
})

test('what a turn says comes as it grows', async () => {
  await using iris = await TestIris.start({
    claude: 'fake',
    teams,
    script: ({ conversation: { lastUserText } }) => ({ text: `answer to ${spoken(lastUserText)}` }),
  })
  await using stream = await EventStream.open(iris)
  await stream.next('snapshot')
  await ask(iris, 'backend', 'hello')
  const line = await stream.next('turn-message', ({ message }) => (message as { type: string }).type === 'assistant')
  expect(JSON.stringify(line.data)).toContain('answer to hello')
  expect(stream.received.some(({ data }) => JSON.stringify(data).includes('stream_event'))).toBe(false)
})
