import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { consoleMeta } from '../../src/base/protocol/daemon.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { asOwner } from '../support/owner.ts'
import { spoken } from '../support/world.ts'

const clock = new JumpingClock()
const restMs = 15_000
const meta = { [consoleMeta]: 'an open session' }
let iris: TestIris
let projects: Record<'frontend' | 'backend', string>
let heard: string | undefined
/** The agent that asked continues when the change was noticed. */
let noticed: Promise<unknown> = Promise.resolve()

async function* later(text: string): AsyncGenerator<string> {
  await noticed
  yield text
}

/** "read a.ts" reads the file; "ask" asks backend to read b.ts, works on, and then uses a tool. */
const script: Script = ({ body, conversation: { lastUserText, step } }) => {
  const [verb, name = ''] = spoken(lastUserText).split(' ')
  if (verb === 'read' && step === 0)
    return { toolUses: [{ name: 'Read', input: { file_path: join(projects.backend, name) } }] }
  if (verb !== 'ask') return { text: 'answer' }
  const input = { toTeam: 'backend', message: 'read b.ts', onChange: 'atOnce' }
  if (step === 0) return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
  if (step === 1) return { stream: later('I go on.'), toolUses: [{ name: 'Bash', input: { command: 'true' } }] }
  heard = JSON.stringify(body.messages)
  return { text: 'done' }
}

beforeAll(async () => {
  const free = { grantPermission: 'yes', dangerous: true }
  iris = await TestIris.start({ script, clock, teams: { frontend: free, backend: free } })
  projects = { frontend: iris.world.directory('frontend'), backend: iris.world.directory('backend') }
  for (const name of ['a.ts', 'b.ts']) writeFileSync(join(projects.backend, name), 'one\n')
})
afterAll(() => iris[Symbol.asyncDispose]())

const change = async (name: string): Promise<void> => {
  await asOwner(iris, 'list_drift', {})
  writeFileSync(join(projects.backend, name), `${name} is another one\n`)
  await eventually(() => clock.pending(restMs) > 0, 'the files are compared again and again')
  await clock.jump(restMs)
}

test('an open session hears once, and without an ask, that a file has changed on which its answer relied', async () => {
  const input = { toTeam: 'backend', message: 'read a.ts', onChange: 'atOnce' }
  const { turnId } = await callTool(iris, 'send_message', input, { meta })
  const bridge = callTool(iris, 'late_answers', {}, { meta })
  await change('a.ts')
  expect(await iris.event('answer-outdated')).toMatchObject({ turnId, path: 'a.ts', to: 'backend' })
  await bridge
  const { pushes } = await callTool(iris, 'late_answers', { take: true }, { meta })
  expect(pushes).toEqual([{ turnId, text: expect.stringContaining('a.ts, on which it relied, has changed.') }])
  expect(await callTool(iris, 'late_answers', { take: true }, { meta })).toMatchObject({ pushes: [] })
  expect(await callTool(iris, 'late_answers', { take: true }, { meta: { [consoleMeta]: 'another' } })).toMatchObject({
    pushes: [],
  })
  const { entries } = (await asOwner(iris, 'list_audit', {})) as { entries: { action: string; detail: object }[] }
  expect(entries).toContainEqual(
    expect.objectContaining({ action: 'answer.outdated', detail: { turnId, path: 'a.ts' } }),
  )
  const { steps } = (await asOwner(iris, 'trace_turn', { turnId })) as { steps: { text: string }[] }
  expect(steps.map(({ text }) => text)).toContain(
    'A file that this answer relied on had changed, so Iris notified the asker immediately.',
  )
  expect(await asOwner(iris, 'reflect', {})).toMatchObject({ toldAtOnce: { times: 1 } })
  await eventually(() => clock.pending(restMs) === 0, 'nothing is compared that nobody waits for')
})

test('an agent that still works hears it with its next tool', async () => {
  noticed = iris.event('answer-outdated', ({ path }) => path === 'b.ts')
  const asking = ask(iris, 'frontend', 'ask')
  const read = await iris.event('turn-settled', ({ from, outcome }) => from === 'frontend' && outcome === 'completed')
  expect(read.to).toBe('backend')
  await change('b.ts')
  expect(await asking).toMatchObject({ status: 'completed' })
  expect(heard).toContain('b.ts, on which it relied, has changed.')
})

test.each([
  [{ deliver: 'live' }, 'Iris does not see which files an open session reads.'],
  [{ at: '9:00' }, 'Nobody waits for the answer of a scheduled message.'],
])('with %j it is refused: nothing could be reported', async (more, why) => {
  const input = { toTeam: 'backend', message: 'read a.ts', onChange: 'atOnce', ...more }
  const message = `onChange: atOnce would never report anything. ${why}`
  expect(await refusal(iris, 'send_message', input)).toMatchObject({ code: 'invalid_input', message })
})

test('a restart goes on with it', async () => {
  const { turnId } = await callTool(iris, 'send_message', {
    toTeam: 'backend',
    message: 'read a.ts',
    onChange: 'atOnce',
  })
  await asOwner(iris, 'list_drift', {})
  writeFileSync(join(projects.backend, 'a.ts'), 'the third one\n')
  await iris.restart()
  const toldAt = () => iris.rows('SELECT turn, told_at FROM watched_answers ORDER BY noted_at DESC LIMIT 1')
  await eventually(async () => {
    // While files are compared, the clock stays: it bounds how long that may take.
    if (clock.pending(restMs) > 0) await clock.jump(restMs)
    return toldAt()[0]?.['told_at'] !== null
  }, 'it is reported')
  expect(toldAt()).toEqual([{ turn: turnId, told_at: expect.any(Number) }])
})
