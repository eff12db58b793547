import { expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { EventStream } from '../support/event-stream.ts'
import { TestIris } from '../support/iris.ts'
import { plainHttp } from '../support/plain-http.ts'
import { Stage } from '../support/stage.ts'

interface Entry {
  readonly number: number
  readonly level: string
  readonly context: string
  readonly message: string
  readonly ids: Record<string, unknown>
}

const entriesOf = (stream: EventStream): Entry[] =>
  stream.received.filter(({ type }) => type === 'log').flatMap(({ data }) => data['entries'] as Entry[])

const missedBy = (stream: EventStream): number =>
  stream.received.filter(({ type }) => type === 'log').reduce((sum, { data }) => sum + (data['missed'] as number), 0)

/** Says something in the log of this Iris. */
function say({ daemon }: TestIris, message: string, level: 'info' | 'warn' = 'info', ids = {}): void {
  daemon.parts.recentLog.add({ level, context: 'test', message, ids })
}

const has = (text: string) => (data: Record<string, unknown>) => JSON.stringify(data['entries']).includes(text)

test('who asks for the log gets what was said and what is being said, beside everything else; others do not', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  say(iris, 'before')
  await using reader = await EventStream.open(iris, '?logs=debug')
  await using other = await EventStream.open(iris)
  await reader.next('log', has('before'))
  say(iris, 'during')
  await reader.next('log', has('during'))
  await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  await Promise.all([reader.next('turn-settled'), other.next('turn-settled')])
  expect(reader.received.some(({ type }) => type === 'snapshot')).toBe(true)
  expect(other.received.filter(({ type }) => type === 'log')).toEqual([])
  const numbers = entriesOf(reader).map(({ number }) => number)
  expect(numbers).toEqual(numbers.map((_, index) => numbers[0]! + index))
})

test('only that level and what is worse comes', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start()
  await using reader = await EventStream.open(iris, '?logs=warn&only=logs')
  say(iris, 'harmless')
  say(iris, 'alarming', 'warn')
  await reader.next('log', has('alarming'))
  expect(entriesOf(reader).filter(({ context }) => context === 'test')).toMatchObject([{ message: 'alarming' }])
  expect(reader.received.filter(({ type }) => type !== 'log')).toEqual([])
})

test('a flood of lines comes in few frames, tells how many were missed, and drives no event out', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  await using reader = await EventStream.open(iris, '?logs=debug')
  await reader.next('snapshot')
  say(iris, 'first')
  await reader.next('log', has('"first"'))
  for (let line = 1; line <= 30_000; line += 1) say(iris, `line ${line}`)
  const { turnId } = await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  await reader.next('log', has('"line 30000"'))
  await reader.next('turn-settled', (data) => data['turnId'] === turnId)
  const flood = entriesOf(reader).filter(({ message }) => message.startsWith('line '))
  expect(flood.length).toBeLessThanOrEqual(10_000 + 2000)
  expect(missedBy(reader)).toBeGreaterThanOrEqual(18_000)
  expect(reader.received.filter(({ type }) => type === 'log').length).toBeLessThan(40)
  expect(reader.received.filter(({ type }) => type === 'snapshot')).toHaveLength(1)
})

test('who comes back with the last id gets what was said meanwhile and no more', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start()
  const first = await EventStream.open(iris, '?logs=info&only=logs')
  say(iris, 'one')
  const { id } = await first.next('log', has('"one"'))
  await first[Symbol.asyncDispose]()
  say(iris, 'two')
  await using second = await EventStream.open(iris, '?logs=info&only=logs', id)
  await second.next('log', has('"two"'))
  const own = entriesOf(second).filter(({ context }) => context === 'test')
  expect(own.map(({ message }) => message)).toEqual(['two'])
  await using foreign = await EventStream.open(iris, '?logs=info&only=logs', 'earlier-7')
  await foreign.next('log', has('"one"'))
})

test('a level that does not exist is refused with those that do', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start()
  const path = '/api/stream?logs=loud'
  const refused = await plainHttp(iris.port, 'GET', path, { authorization: `Bearer ${iris.token}` })
  expect(refused.status).toBe(400)
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'invalid_input', remedy: expect.stringContaining('warn') })
})

test('the log is filtered by team, session and text', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start()
  say(iris, 'about a pair', 'info', { pair: 'frontend→backend (plan)' })
  say(iris, 'about a team', 'info', { team: 'backend' })
  say(iris, 'About a Session', 'info', { sessionId: 'abc' })
  const found = async (filter: object) => {
    const { logs } = await callTool(iris, 'get_logs', { storeName: 'test', ...filter })
    return (logs as Entry[]).map(({ message }) => message)
  }
  expect(await found({ team: 'backend' })).toEqual(['about a pair', 'about a team'])
  expect(await found({ team: 'backend', text: 'a session' })).toEqual([])
  expect(await refusal(iris, 'get_logs', { storeName: 'test', team: 'back' })).toMatchObject({ code: 'unknown_team' })
  expect(await found({ session: 'abc' })).toEqual(['About a Session'])
  expect(await found({ text: 'a session' })).toEqual(['About a Session'])
})
