import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { type Line, textDelta } from '../../src/base/agent/line.ts'
import { type Deferred, deferred } from '../../src/base/lib/deferred.ts'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool, refusal, type ToolCall } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { spoken } from '../support/world.ts'

// Long enough never to go off by themselves.
const [wait, longWait, defaultWait, heartbeat] = [100_000, 3_500_000, 110_000, 15_000]
const clock = new JumpingClock()
const fromTeam = 'frontend'
const gates = new Map<string, Deferred<void>>()

/** Opened, the model says the rest of its answer to that message. */
function gate(message: string): Deferred<void> {
  const known = gates.get(message) ?? deferred<void>()
  gates.set(message, known)
  return known
}

/** Says half of the answer and keeps the rest until the gate opens; "with a tool" uses one first. */
const slow: Script = ({ conversation: { lastUserText, step } }) => {
  const message = spoken(lastUserText)
  if (message === 'with a tool' && step === 0)
    return { toolUses: [{ name: 'Bash', input: { command: 'echo a tool' } }] }
  return { stream: heldText(half(message), gate(message).promise, 'and all the rest.') }
}

const half = (message: string): string => `Half of "${message}", `
const whole = (message: string): string => `${half(message)}and all the rest.`

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ script: slow, clock, settings: { defaultTimeout: defaultWait } })
})
afterAll(() => iris[Symbol.asyncDispose]())

/** The turn of that message, once Iris has read the first half of its answer. */
async function halfAnswered(message: string): Promise<string> {
  const fits = ({ message: line }: { message: unknown }): boolean => textDelta(line as Line) === half(message)
  return (await iris.event('turn-message', fits)).turnId
}

async function status(turnId: string, timeout?: number, call?: ToolCall): Promise<TurnResult> {
  return (await callTool(
    iris,
    'message_status',
    { turnId, ...(timeout !== undefined && { timeout }) },
    call,
  )) as TurnResult
}

/** A call that waits, and what it has heard so far. */
function listening<T>(make: (call: ToolCall) => Promise<T>): { readonly answer: Promise<T>; readonly heard: string[] } {
  const heard: string[] = []
  return { heard, answer: make({ onProgress: (message) => heard.push(message) }) }
}

describe('a model that is slow to answer', () => {
  test('with timeout -1 the caller has a turnId at once and collects the whole later', async () => {
    const handle = await ask(iris, 'backend', 'one', { fromTeam, timeout: -1 })
    expect(handle).toMatchObject({ status: 'async', from: 'frontend', to: 'backend', turnId: expect.any(String) })
    expect(await halfAnswered('one')).toBe(handle.turnId)
    const { turnId } = handle
    expect(await status(turnId)).toMatchObject({ status: 'async', delivered: true, partialResponse: half('one') })

    const { answer, heard } = listening((call) => status(turnId, 0, call))
    await eventually(() => heard.length > 0, 'the wait has begun')
    gate('one').resolve()
    expect(await answer).toMatchObject({ status: 'completed', turnId, response: whole('one') })
    expect(await status(turnId)).toMatchObject({ status: 'completed', response: whole('one') })
  })

  test('with timeout 0 the caller waits until it ends', async () => {
    const { answer, heard } = listening((call) => ask(iris, 'backend', 'two', { fromTeam, timeout: 0 }, call))
    await halfAnswered('two')
    await eventually(() => heard.length > 0, 'the wait has begun')
    gate('two').resolve()
    expect(await answer).toMatchObject({ status: 'completed', response: whole('two') })
  })

  test('after N ms the caller has the text so far, and the turn goes on until message_status delivers the whole', async () => {
    const asked = ask(iris, 'backend', 'three', { fromTeam, timeout: wait })
    const turnId = await halfAnswered('three')
    await clock.jump(wait)
    const early = await asked
    expect(early).toMatchObject({ status: 'mcp_timeout', turnId, delivered: true, partialResponse: half('three') })
    expect(early).not.toHaveProperty('response')

    const [again] = await Promise.all([status(turnId, 1), clock.jump(1)])
    expect(again).toMatchObject({ status: 'mcp_timeout', partialResponse: half('three') })

    gate('three').resolve()
    const late = await status(turnId, 0)
    expect(late).toMatchObject({ status: 'completed', turnId, response: whole('three') })
    expect(late).not.toHaveProperty('partialResponse')
  })

  test('a caller that says nothing about it waits for settings.defaultTimeout', async () => {
    const asked = ask(iris, 'backend', 'four', { fromTeam, timeout: undefined })
    const turnId = await halfAnswered('four')
    expect(clock.pending(defaultWait)).toBe(1)
    await clock.jump(defaultWait)
    expect(await asked).toMatchObject({ status: 'mcp_timeout', turnId, partialResponse: half('four') })
    gate('four').resolve()
    expect(await status(turnId, 0)).toMatchObject({ status: 'completed', response: whole('four') })
  })

  test('a waiting caller hears when work begins, which tools are used, and that it goes on', async () => {
    const { answer, heard } = listening((call) => ask(iris, 'backend', 'with a tool', { fromTeam, timeout: 0 }, call))
    const turnId = await halfAnswered('with a tool')
    const begun = [expect.stringContaining(turnId), 'Claude Code has begun to work on it.', 'Uses Bash.']
    await eventually(() => heard.length >= begun.length, 'the tool is announced')
    await clock.jump(heartbeat)
    await eventually(() => heard.length > begun.length, 'a sign of life')
    await clock.jump(heartbeat)
    await eventually(() => heard.length > begun.length + 1, 'another sign of life')
    expect(heard).toEqual([...begun, `Turn ${turnId} continues.`, `Turn ${turnId} continues.`])
    gate('with a tool').resolve()
    expect(await answer).toMatchObject({ status: 'completed', turnId, response: whole('with a tool') })
    expect(clock.pending(heartbeat)).toBe(0)
  })

  test('a caller that closes its stream ends its wait and not the turn', async () => {
    const leaving = new AbortController()
    const call = { signal: leaving.signal }
    const asked = ask(iris, 'backend', 'five', { fromTeam, timeout: longWait }, call).catch((error: unknown) => error)
    const turnId = await halfAnswered('five')
    expect(clock.pending(longWait)).toBe(1)
    leaving.abort()
    expect(await asked).toMatchObject({ name: 'AbortError' })
    await eventually(() => clock.pending(longWait) + clock.pending(heartbeat) === 0, 'the wait has ended')
    expect(await status(turnId)).toMatchObject({ status: 'async', partialResponse: half('five') })
    gate('five').resolve()
    expect(await status(turnId, 0)).toMatchObject({ status: 'completed', response: whole('five') })
  })

  test('a caller that closes its stream while its message is queued loses nothing either', async () => {
    const running = ask(iris, 'backend', 'six', { fromTeam })
    await halfAnswered('six')
    const leaving = new AbortController()
    const args = { fromTeam, timeout: longWait, idempotencyKey: 'seven' }
    const asked = ask(iris, 'backend', 'seven', args, { signal: leaving.signal }).catch((error: unknown) => error)
    await eventually(() => clock.pending(longWait) === 1, 'the wait has begun')
    leaving.abort()
    expect(await asked).toMatchObject({ name: 'AbortError' })
    for (const message of ['six', 'seven']) gate(message).resolve()
    expect(await running).toMatchObject({ status: 'completed', response: whole('six') })
    const again = await ask(iris, 'backend', 'seven', { ...args, timeout: 0 })
    expect(again).toMatchObject({ status: 'completed', response: whole('seven') })
  })
})

test.each([-2, 3_600_001, 0.5])('a timeout of %d is refused, and nothing is sent', async (timeout) => {
  const before = iris.rows('SELECT id FROM turns')
  const refused = await refusal(iris, 'send_message', { toTeam: 'backend', fromTeam, message: 'never', timeout })
  expect(refused.code).toBe(Number.isInteger(timeout) ? 'timeout_out_of_range' : 'invalid_input')
  expect(refused.message).toContain('timeout')
  expect(iris.rows('SELECT id FROM turns')).toEqual(before)
})
