import { afterAll, beforeAll, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { Program } from '../support/program.ts'
import { runCommand } from '../support/run-command.ts'
import { spoken } from '../support/world.ts'

type Sent = { readonly status: string; readonly results: readonly Record<string, unknown>[] }

/** "hold" is never answered by mobile; "all: x" makes the agent ask both others at once. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const said = spoken(lastUserText)
  if (said.startsWith('hold') && lastUserText.includes('to="mobile"'))
    return { stream: heldText('I think', new Promise(() => {}), '') }
  if (!said.startsWith('all: ')) return { text: `You said: ${said}` }
  if (step > 0) return { text: toolResults.at(-1)!.text }
  const input = { toTeam: ['backend', 'mobile'], message: said.slice(5), timeout: 0 }
  return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
}

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake', script })
})
afterAll(() => iris[Symbol.asyncDispose]())

const send = async (args: object, onProgress: (message: string) => void = () => {}): Promise<Sent> =>
  (await callTool(iris, 'send_message', { timeout: 0, ...args }, { onProgress })) as unknown as Sent
const turns = () => iris.rows('SELECT count(*) AS n FROM turns')

test('a message to several teams is a turn of each, with its progress and its answer', async () => {
  const heard: string[] = []
  const sent = await send({ toTeam: ['backend', 'mobile', 'backend'], message: 'hello' }, (text) => heard.push(text))
  expect(sent.status).toBe('completed')
  expect(sent.results.map(({ to, status, response }) => ({ to, status, response }))).toEqual([
    { to: 'backend', status: 'completed', response: 'You said: hello' },
    { to: 'mobile', status: 'completed', response: 'You said: hello' },
  ])
  expect(heard).toEqual(
    expect.arrayContaining([expect.stringMatching(/^backend: /), expect.stringMatching(/^mobile: /)]),
  )
  expect(heard.at(-1)).toContain('(2 of 2)')
})

test('"*" is every team but the one that asks', { tags: ['thorough'] }, async () => {
  const { results } = await send({ toTeam: '*', fromTeam: 'frontend', message: 'all of you' })
  expect(results.map(({ to }) => to)).toEqual(['backend', 'mobile'])
})

test('an agent that asks several waits for all of them in one call', async () => {
  const { response } = await ask(iris, 'frontend', 'all: hi')
  expect(JSON.parse(response!)).toMatchObject({
    status: 'completed',
    results: [
      { to: 'backend', from: 'frontend', response: 'You said: hi' },
      { to: 'mobile', from: 'frontend', response: 'You said: hi' },
    ],
  })
})

test('when the time is over there is what has come, and the rest goes on; the key finds all of it again', {
  tags: ['thorough'],
}, async () => {
  const message = { toTeam: ['backend', 'mobile'], message: 'hold on', thread: 'late', idempotencyKey: 'many-1' }
  await ask(iris, 'backend', 'warm', { thread: 'late' })
  const first = await send({ ...message, timeout: 8000 })
  expect(first).toMatchObject({
    status: 'mcp_timeout',
    results: [
      { to: 'backend', status: 'completed' },
      { to: 'mobile', status: 'mcp_timeout' },
    ],
  })
  const again = await send({ ...message, timeout: -1 })
  expect(again.results.map(({ turnId }) => turnId)).toEqual(first.results.map(({ turnId }) => turnId))

  const busy = { toTeam: ['backend', 'mobile'], message: 'and now?', thread: 'late' }
  const refused = await send({ ...busy, whenBusy: 'refuse' })
  expect(refused).toMatchObject({
    status: 'mixed',
    results: [{ status: 'completed' }, { to: 'mobile', status: 'refused', error: { code: 'process_busy' } }],
  })
  const interrupting = await send({ ...busy, toTeam: ['mobile'], whenBusy: 'interrupt' })
  expect(interrupting).toMatchObject({ status: 'completed', results: [{ response: 'You said: and now?' }] })
  expect(await callTool(iris, 'message_status', { turnId: first.results[1]!['turnId'] })).toMatchObject({
    status: 'cancelled',
    detail: expect.stringContaining('whenBusy: interrupt'),
  })
})

test('a mistake in the names or the budget refuses the whole call, and nothing is kept', async () => {
  const before = turns()
  const refused = (args: object) => refusal(iris, 'send_message', { message: 'x', ...args })
  expect(await refused({ toTeam: ['backend', 'bakend'] })).toMatchObject({ code: 'unknown_team' })
  expect(await refused({ toTeam: [] })).toMatchObject({ code: 'invalid_input' })
  const thousand = Array.from({ length: 1000 }, (_, index) => `team${index}`)
  expect(await refused({ toTeam: thousand })).toMatchObject({ message: expect.stringContaining('1000 teams') })
  expect(await refused({ toTeam: '*', budget: { turns: 2 } })).toMatchObject({
    message: 'A budget of 2 turns is less than one for each of 3 teams.',
  })
  expect(turns()).toEqual(before)
})

const shared = async (turnId: unknown) => (await callTool(iris, 'message_status', { turnId }))['tree']

test('one budget is for all and what they cause: the one that comes first uses it', async () => {
  const message = { toTeam: ['backend', 'mobile'], message: 'cheap', budget: { turns: 5, time: 90_000 } }
  const { results } = await send(message)
  const tree = { shared: { used: { turns: 2 }, budget: { turns: 5, time: 90_000 }, left: { turns: 3 } } }
  for (const { turnId } of results) expect(await shared(turnId)).toMatchObject(tree)
  const further = await send({ ...message, toTeam: ['frontend'], message: 'all: on', budget: { turns: 2 } })
  const { turnId, response } = further.results[0]!
  expect(JSON.parse(String(response))).toMatchObject({ status: 'mixed', results: [{}, {}] })
  expect(String(response)).toContain('All messages of one call may use 2 turns together; 2 turns are used.')
  expect(await shared(turnId)).toMatchObject({ shared: { used: { turns: 2 }, left: { turns: 0 } } })
})

test('when the money is used up all of them end, and what a restart of Iris leaves still counts', {
  tags: ['thorough'],
}, async () => {
  const { results } = await send({
    toTeam: ['backend', 'mobile'],
    message: 'hold on',
    thread: 'dear',
    timeout: -1,
    budget: { cost: 0.02 },
  })
  const [backend, mobile] = results.map(({ turnId }) => turnId)
  await eventually(async () => (await shared(backend)) !== undefined && isEnded(backend), 'the answer of backend')
  const before = (await shared(mobile)) as { shared: { used: { cost: number } } }
  expect(before.shared.used.cost).toBeGreaterThan(0)
  await iris.restart()
  expect(await shared(mobile)).toMatchObject({ shared: { used: { turns: 2, cost: before.shared.used.cost } } })
  iris.change(`UPDATE shared_budgets SET budget = '{"cost":0.0000001}' WHERE budget = '{"cost":0.02}'`)
  await iris.restart()
  expect(await callTool(iris, 'message_status', { turnId: mobile, timeout: 0 })).toMatchObject({
    status: 'failed',
    reason: 'over_budget',
    detail: expect.stringContaining('All messages of one call may use'),
  })
  expect(await callTool(iris, 'message_status', { turnId: backend })).toMatchObject({ status: 'completed' })
})
const isEnded = (turnId: unknown) =>
  iris.rows(`SELECT 1 FROM turns WHERE id = '${String(turnId)}' AND state = 'settled'`).length === 1

test('iris tell a,b shows each answer under its team', { tags: ['thorough'] }, async () => {
  const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
  const program = new Program(['tell', 'backend,mobile', 'hello', 'again'], { cwd: iris.world.root, env })
  program.child.stdin.end()
  const { code, stdout } = await program.ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/── backend \([0-9a-f]{8}, [\d.]+ s\)\nYou said: hello again\n/)
  expect(stdout).toMatch(/── mobile \([0-9a-f]{8}, [\d.]+ s\)\nYou said: hello again\n/)
  const asJson = await runCommand(iris.world, ['tell', 'backend,mobile', 'hello', '--json'])
  expect(JSON.parse(asJson.stdout)).toMatchObject({ status: 'completed', results: [{}, {}] })
})

test('who waits for a team is told when it has answered everything, whoever asked', {
  tags: ['thorough'],
}, async () => {
  const isIdle = (timeout: number) => callTool(iris, 'session_wait', { team: 'mobile', timeout })
  for (const turn of iris.rows("SELECT id FROM turns WHERE state <> 'settled'"))
    await callTool(iris, 'session_cancel', { turnId: turn['id'] })
  expect(await isIdle(0)).toMatchObject({ team: 'mobile', status: 'idle', messages: 0 })
  const { turnId } = await callTool(iris, 'quick_message', { toTeam: 'mobile', message: 'hold on' })
  await callTool(iris, 'quick_message', { toTeam: 'mobile', message: 'and then', thread: 'other' })
  expect(await isIdle(-1)).toMatchObject({ status: 'busy' })
  expect(await isIdle(1)).toMatchObject({ status: 'busy' })
  const waiting = isIdle(0)
  await callTool(iris, 'session_cancel', { turnId })
  expect(await waiting).toMatchObject({ status: 'idle', messages: 0 })
  expect(await refusal(iris, 'session_wait', { team: 'nobody' })).toMatchObject({ code: 'unknown_team' })
})
