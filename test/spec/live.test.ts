import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Output } from '../../src/adapters/client/tool-call.ts'
import { consoleMeta } from '../../src/base/protocol/daemon.ts'
import { reportLines } from '../../src/features/messages/commands/report-lines.ts'
import { whyLines } from '../../src/features/traces/commands/trace-lines.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'

const clock = new JumpingClock()
let iris: TestIris
beforeAll(async () => {
  const teams = { backend: { live: 'yes' }, mobile: { live: 'ask' }, frontend: {} }
  iris = await TestIris.start({ claude: 'fake', clock, teams })
})
afterAll(() => iris[Symbol.asyncDispose]())

type Pushes = { pushes: { turnId: string; text: string }[] }

/** The bridge of a session that a person has open in the project of a team. */
const session = (team: string, name = `${team}-1`) => {
  const call = { directory: iris.world.directory(team), meta: { [consoleMeta]: name } }
  const wait = (signal?: AbortSignal) => callTool(iris, 'late_answers', {}, { ...call, ...(signal && { signal }) })
  const take = async () => ((await callTool(iris, 'late_answers', { take: true }, call)) as unknown as Pushes).pushes
  const reply = (inReplyTo: string, message: string) =>
    callTool(iris, 'send_message', { toTeam: 'external', inReplyTo, message }, call)
  return { wait, take, reply }
}
const live = (toTeam: string, message: string, more: object = {}) =>
  callTool(iris, 'quick_message', { toTeam, message, deliver: 'live', ...more })
const status = (turnId: unknown, timeout = -1) => callTool(iris, 'message_status', { turnId, timeout })
const promote = (args: object) => callTool({ port: iris.port, token: iris.world.owner() }, 'promote_turn', args)

/** An open session: its bridge waits until something is there. */
const open = async (team: string, name?: string) => {
  const bridge = session(team, name)
  const left = new AbortController()
  const woken = bridge.wait(left.signal).catch(() => undefined)
  await eventually(
    async () =>
      (await refusal(iris, 'send_message', { toTeam: team, message: ' ', deliver: 'live' })).code === 'message_empty',
    `the session of ${team} is open`,
  )
  return { ...bridge, woken, leave: () => left.abort() }
}

test('a message for an open session is handed to it once, and its answer is that of the turn', async () => {
  const there = await open('backend')
  const { turnId } = await live('backend', 'What do you see?')
  await there.woken
  const [push, ...others] = await there.take()
  expect(others).toEqual([])
  expect(push!.turnId).toBe(turnId)
  expect(push!.text).toMatch(
    /^Iris, team external, turn [0-9a-f]{8}: a message for this session\.\n<iris-message from="external"/,
  )
  expect(push!.text).toContain(`inReplyTo "${String(turnId)}"`)
  expect(await there.take()).toEqual([])
  // The conversation of the pair is free meanwhile.
  expect(await ask(iris, 'backend', 'hello')).toMatchObject({ status: 'completed', response: 'You said: hello' })
  expect(await there.reply(String(turnId), 'A red light.')).toMatchObject({ status: 'completed', turnId })
  expect(await status(turnId, 0)).toMatchObject({ status: 'completed', response: 'A red light.', to: 'backend' })
})

test('an answer is taken once, from that team, and only for a message that waits', async () => {
  const there = await open('backend')
  const { turnId } = await live('backend', 'Again?')
  const early = await there.reply(String(turnId), 'What is it?')
  expect(early).toMatchObject({ error: { code: 'unknown_turn' } })
  await there.woken
  await there.take()
  const other = await session('mobile').reply(String(turnId), 'I am mobile.')
  expect(other).toMatchObject({ error: { code: 'unknown_turn' } })
  // The notice shows the beginning of its id.
  expect(await there.reply(String(turnId).slice(0, 8), 'one')).toMatchObject({ status: 'completed', turnId })
  expect(await there.reply(String(turnId), 'two')).toMatchObject({ error: { code: 'unknown_turn' } })
  expect(await status(turnId, 0)).toMatchObject({ response: 'one' })
  expect(await callTool(iris, 'send_message', { toTeam: 'backend', inReplyTo: turnId, message: 'x' })).toMatchObject({
    error: { code: 'invalid_input' },
  })
})

test('with live: ask only the notice comes in, until the person lets the words in', async () => {
  const there = await open('mobile')
  const { turnId } = await live('mobile', 'the secret words')
  await there.woken
  const [notice] = await there.take()
  expect(notice!.text).toContain(`iris promote ${String(turnId).slice(0, 8)}`)
  expect(notice!.text).not.toContain('secret words')
  expect(await there.take()).toEqual([])
  expect(await there.reply(String(turnId), 'too early')).toMatchObject({ error: { code: 'unknown_turn' } })
  expect(await callTool(iris, 'promote_turn', { turnId })).toMatchObject({ error: { code: 'not_allowed' } })
  // The person reads it before.
  expect(notice!.text).toContain(`iris why ${String(turnId).slice(0, 8)}`)
  const owner = { port: iris.port, token: iris.world.owner() }
  const traced = (await callTool(owner, 'trace_turn', { turnId })) as unknown as Output<'trace_turn'>
  expect(traced.turns[0]).toMatchObject({ waitsToBeLetIn: true })
  expect(whyLines(traced).join('\n')).toMatch(
    /is waiting for your yes until .*iris promote .*iris cancel .*: the secret words/,
  )
  const report = async () =>
    (await callTool(owner, 'session_report', {
      team: 'mobile',
      fromTeam: 'external',
    })) as unknown as Output<'session_report'>
  const short = String(turnId).slice(0, 8)
  expect(reportLines(await report()).join('\n')).toMatch(
    new RegExp(`${short}.*waiting for you \\(accept it with iris promote ${short}\\)\n  > the secret words`),
  )
  // The person hesitates: that gives the session no more time.
  await clock.jump(300_000)
  expect(await promote({ turnId })).toEqual({ turnId, team: 'mobile', what: 'message' })
  const [words] = await there.take()
  expect(words!.text).toContain('the secret words')
  const [{ deadline }] = iris.rows(
    `SELECT dispatched_at + 600000 AS deadline FROM turns WHERE id = '${String(turnId)}'`,
  ) as [{ deadline: number }]
  expect(words!.text).toContain(`until ${new Date(deadline).toISOString()}`)
  await there.reply(String(turnId), 'fine')
  expect(await status(turnId, 0)).toMatchObject({ response: 'fine' })
})

test('unanswered at its deadline it is timed out, and a retry gives it to the conversation of the pair', async () => {
  const there = await open('backend')
  const { turnId } = await live('backend', 'anybody?')
  await there.woken
  await there.take()
  await iris.restart()
  const again = await open('backend')
  expect(await again.take()).toEqual([])
  await clock.jump(600_000)
  const end = await status(turnId, 0)
  expect(end).toMatchObject({
    status: 'timed_out',
    reason: 'unanswered',
    detail: expect.stringContaining('iris retry'),
  })
  const retried = await callTool(iris, 'retry_message', { turnId })
  expect(retried).toMatchObject({ thread: 'main', to: 'backend' })
  expect(await status(retried['turnId'], 0)).toMatchObject({ status: 'completed', response: 'You said: anybody?' })
  again.leave()
  await again.woken
})

test('the time of a message begins when it is handed over, not while it waits behind another one', async () => {
  const there = await open('backend')
  const first = await live('backend', 'first of two')
  const second = await live('backend', 'second of two')
  await there.woken
  expect((await there.take()).map(({ turnId }) => turnId)).toEqual([first.turnId])
  await clock.jump(600_000)
  expect(await status(first.turnId, 0)).toMatchObject({ status: 'timed_out', reason: 'unanswered' })
  const push = await eventually(async () => (await there.take())[0], 'the second one is handed over')
  expect(push.turnId).toBe(second.turnId)
  await clock.jump(500_000)
  expect(await status(second.turnId)).toMatchObject({ status: 'async' })
  await there.reply(String(second.turnId), 'still in time')
  expect(await status(second.turnId, 0)).toMatchObject({ status: 'completed', response: 'still in time' })
})

test('a person refuses a message that waits to be let in: its asker is told, and no session gets it', async () => {
  const there = await open('mobile')
  const { turnId } = await live('mobile', 'may I?')
  await there.woken
  const [notice] = await there.take()
  expect(notice!.text).toContain(`iris cancel ${String(turnId).slice(0, 8)}`)
  await callTool({ port: iris.port, token: iris.world.owner() }, 'session_cancel', { turnId })
  expect(await status(turnId, 0)).toMatchObject({ status: 'cancelled' })
  expect(await promote({ turnId })).toMatchObject({ error: { code: 'invalid_input' } })
  expect(await there.take()).toEqual([])
  expect(await there.reply(String(turnId), 'too late')).toMatchObject({ error: { code: 'unknown_turn' } })
})

test('a message for later goes to the session that is open at its time, or says that none was', async () => {
  const inTwoMinutes = () => ({ at: new Date(clock.now() + 120_000).toISOString().slice(0, 16), timeZone: 'UTC' })
  type Listed = { schedules: { scheduleId: string; nextAt?: number; problem?: string }[] }
  const listed = async () => ((await callTool(iris, 'list_schedules')) as unknown as Listed).schedules
  const refused = { toTeam: 'frontend', message: 'x', deliver: 'live', ...inTwoMinutes() }
  expect(await refusal(iris, 'send_message', refused)).toMatchObject({ code: 'not_allowed' })
  const there = await open('backend')
  expect(await live('backend', 'at its time', inTwoMinutes())).toMatchObject({ status: 'scheduled' })
  await clock.jump(120_001)
  await there.woken
  const push = await eventually(async () => (await there.take())[0], 'it is handed over')
  expect(push.text).toContain('at its time')
  await there.reply(push.turnId, 'seen')
  expect(await status(push.turnId, 0)).toMatchObject({ response: 'seen', thread: 'live:main' })
  await clock.jump(11_000)
  await live('backend', 'nobody there', inTwoMinutes())
  await clock.jump(120_001)
  const [over] = await eventually(async () => {
    const all = await listed()
    return all[0]?.problem === undefined ? undefined : all
  }, 'it is refused')
  expect(over).toMatchObject({ problem: expect.stringContaining('No session of backend is open') })
  await callTool(iris, 'session_cancel', { turnId: over!.scheduleId })
})

test('nothing comes in where it is not wanted, where nobody is, or with files', async () => {
  const bad = (args: object) =>
    refusal(iris, 'send_message', { toTeam: 'backend', message: 'x', deliver: 'live', ...args })
  expect(await bad({ toTeam: 'frontend' })).toMatchObject({
    code: 'not_allowed',
    remedy: expect.stringContaining('live: ask'),
  })
  await clock.jump(11_000)
  expect(await bad({})).toMatchObject({ code: 'not_found' })
  const there = await open('backend')
  expect(await bad({ responseSchema: {} })).toMatchObject({ code: 'invalid_input' })
  expect(await bad({ message: 'x'.repeat(20_000) })).toMatchObject({ code: 'message_too_long' })
  expect(await bad({ deliver: 'push', thread: 'live:main' })).toMatchObject({ code: 'invalid_input' })
  there.leave()
  await there.woken
})

test('iris promote puts the answer of an earlier message into the open session of a team', async () => {
  const { turnId } = await ask(iris, 'backend', 'a finding')
  const there = await open('mobile')
  const promoted = promote({ turnId, team: 'mobile' })
  await there.woken
  const [push] = await there.take()
  expect(push!.text).toContain('what backend answered external')
  expect(push!.text).toContain('You said: a finding')
  expect(await promoted).toEqual({ turnId, team: 'mobile', what: 'answer' })
  await clock.jump(11_000)
  expect(await promote({ turnId, team: 'frontend' })).toMatchObject({ error: { code: 'not_found' } })
})

test('a promoted answer that an inbox swallowed is not lost: the next call says once that it waits', async () => {
  const name = 'a session that loses what is promoted'
  const { turnId } = await ask(iris, 'backend', 'a finding')
  const there = await open('mobile', name)
  const promoted = promote({ turnId, team: 'mobile' })
  await there.woken
  // Its bridge took the answer, and nobody read what it wrote.
  await there.take()
  await promoted
  const call = { directory: iris.world.directory('mobile'), meta: { [consoleMeta]: name } }
  const waits = `1 answer waits. message_status collects turn ${String(turnId).slice(0, 8)} (backend)`
  expect(await callTool(iris, 'get_date', {}, call)).toMatchObject({ answersWaiting: waits })
  expect(await callTool(iris, 'get_date', {}, call)).not.toHaveProperty('answersWaiting')
  expect(await status(turnId)).toMatchObject({ unread: true })
  expect(await callTool(iris, 'message_status', { turnId }, call)).toMatchObject({ response: 'You said: a finding' })
  expect(await status(turnId)).not.toHaveProperty('unread')
})

test('an answer that an inbox swallowed is not lost: the next call says once that it waits', async () => {
  const meta = { [consoleMeta]: 'a session with a full inbox' }
  const { turnId } = await callTool(iris, 'quick_message', { toTeam: 'backend', message: 'hello?' }, { meta })
  await status(turnId, 0)
  // Its bridge took the answer, and nobody read what it wrote.
  expect(await callTool(iris, 'late_answers', { take: true }, { meta })).toMatchObject({ pushes: [{ turnId }] })
  const waits = `1 answer waits. message_status collects turn ${String(turnId).slice(0, 8)} (backend)`
  expect(await callTool(iris, 'get_date', {}, { meta })).toMatchObject({ answersWaiting: waits })
  expect(await callTool(iris, 'get_date', {}, { meta })).not.toHaveProperty('answersWaiting')
  expect(await status(turnId)).toMatchObject({ unread: true, response: 'You said: hello?' })
  expect(await callTool(iris, 'message_status', { turnId }, { meta })).not.toHaveProperty('unread')
})
