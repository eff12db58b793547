import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { Program } from '../support/program.ts'
import { spoken } from '../support/world.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const clock = new JumpingClock()
let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    clock,
    script: ({ conversation: { lastUserText, step, toolResults } }) => {
      const said = spoken(lastUserText)
      if (step > 0) return { text: toolResults.at(-1)!.text }
      if (said !== 'schedule something') return { text: `You said: ${said}` }
      const input = { toTeam: 'mobile', message: 'x', at: '9:00' }
      return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
    },
  })
})
afterAll(() => iris[Symbol.asyncDispose]())

type Listed = { schedules: { scheduleId: string; nextAt: number; lastTurnId?: string; problem?: string }[] }
const listed = async () => ((await callTool(iris, 'list_schedules')) as unknown as Listed).schedules
const command = async (...args: string[]) => {
  const env = { ...iris.world.env, IRIS_HOME: iris.world.home, TZ: 'Europe/Berlin' }
  const program = new Program(args, { cwd: iris.world.root, env })
  program.child.stdin.end()
  return program.ended
}
/** To the time of the next one, and not beyond: the turn that begins must not grow old. */
const toNext = async () => clock.jump((await listed())[0]!.nextAt - clock.now() + 1)
const sentOf = (message: string) => iris.rows(`SELECT id FROM turns WHERE message = '${message}'`).length
/** The answers to messages that say so, in order. */
const answered = (message: string) =>
  iris.rows(`SELECT id, answer FROM turns WHERE message = '${message}' AND outcome = 'completed' ORDER BY sequence`)

test('iris tell --at sends the message then, once; it is listed before, and its answer is collected after', async () => {
  const soon = new Date(clock.now() + 2 * hourMs)
  const at = soon.toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' })
  const told = await command('tell', 'backend', 'What is new?', '--at', at)
  expect(told).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{8}-/) })
  const { stdout } = await command('schedules')
  expect(stdout).toMatch(/[0-9a-f]{8} {2}you→backend +\d{4}-\d\d-\d\d \d\d:\d\d:00 +once +What is new\?/)
  expect(answered('What is new?')).toEqual([])
  await toNext()
  await eventually(() => answered('What is new?').length === 1, 'its answer')
  expect(answered('What is new?')).toMatchObject([{ answer: 'You said: What is new?' }])
  expect(await listed()).toEqual([])
})

test('what is sent every day comes once after days of sleep, and once after days in which Iris did not run', async () => {
  const sent = await callTool(iris, 'send_message', { toTeam: 'backend', message: 'daily', every: 'day', timeout: 0 })
  expect(sent).toMatchObject({ status: 'scheduled', to: 'backend', nextAt: expect.any(Number) })
  await toNext()
  await eventually(() => answered('daily').length === 1, 'the first day')
  // The machine sleeps: only the wall clock continues.
  clock.wallAhead += 5 * dayMs
  // Not further than needed: the turn that begins must not grow old.
  for (let s = 0; s < 40 && sentOf('daily') < 2; s++) await clock.jump(1000)
  await eventually(() => answered('daily').length === 2, 'one message for five days')
  clock.wallAhead += 3 * dayMs
  await iris.restart()
  await eventually(() => answered('daily').length === 3, 'one message for three days')
  const [schedule] = await listed()
  expect(schedule!.nextAt).toBeGreaterThan(clock.now())
  expect(schedule!.lastTurnId).toBe(answered('daily').at(-1)!['id'])
  const { stdout, code } = await command('cancel', schedule!.scheduleId.slice(0, 8))
  expect({ stdout, code }).toMatchObject({ code: 0, stdout: expect.stringContaining('was cancelled') })
  expect(await listed()).toEqual([])
  await clock.jump(2 * dayMs)
  expect(answered('daily')).toHaveLength(3)
})

test('a call that is made twice schedules one message for each team', async () => {
  const message = { toTeam: ['backend', 'mobile'], message: 'both', every: 'week', idempotencyKey: 'weekly-1' }
  const first = await callTool(iris, 'send_message', message)
  expect(first).toMatchObject({ status: 'scheduled', results: [{ to: 'backend' }, { to: 'mobile' }] })
  expect(await callTool(iris, 'send_message', message)).toEqual(first)
  const all = await listed()
  expect(all).toHaveLength(2)
  for (const { scheduleId } of all) await callTool(iris, 'session_cancel', { turnId: scheduleId })
})

test('a call that is made again after its time returns the message that was sent', { tags: ['thorough'] }, async () => {
  const at = new Date(clock.now() + 2 * hourMs).toISOString().slice(0, 16)
  const message = { toTeam: 'backend', message: 'once', at, timeZone: 'UTC', idempotencyKey: 'once-1' }
  expect(await callTool(iris, 'send_message', message)).toMatchObject({ status: 'scheduled' })
  await toNext()
  await eventually(() => answered('once').length === 1, 'its answer')
  const again = await callTool(iris, 'send_message', message)
  expect(again).toMatchObject({ turnId: answered('once')[0]!['id'], response: 'You said: once' })
  expect(await listed()).toEqual([])
})

test('mistakes are refused at once, and agents schedule nothing', { tags: ['thorough'] }, async () => {
  const bad = (args: object) => refusal(iris, 'send_message', { toTeam: 'backend', message: 'x', ...args })
  expect(await bad({ at: 'tomorrow' })).toMatchObject({
    code: 'invalid_input',
    remedy: expect.stringContaining('9:00'),
  })
  expect(await bad({ at: '2020-01-01T09:00' })).toMatchObject({ message: expect.stringContaining('is in the past') })
  expect(await bad({ timeZone: 'Europe/Berlin' })).toMatchObject({ message: 'You gave a time zone, but no time.' })
  expect(await bad({ at: '9:00', timeZone: 'Mars' })).toMatchObject({ code: 'invalid_input' })
  expect(await bad({ at: '9:00', toTeam: 'bakend' })).toMatchObject({ code: 'unknown_team' })
  expect(await bad({ every: 'day', message: ' ' })).toMatchObject({ code: 'message_empty' })
  expect(await bad({ every: 'day', responseSchema: { type: 'integr' } })).toMatchObject({ code: 'schema_invalid' })
  expect(await bad({ every: 'day', attachments: [{ name: 'a', data: '' }] })).toMatchObject({ code: 'invalid_input' })
  const { response } = (await callTool(iris, 'send_message', {
    toTeam: 'backend',
    message: 'schedule something',
    timeout: 0,
  })) as { response: string }
  expect(response).toContain('not_allowed')
  expect(await listed()).toEqual([])
})
