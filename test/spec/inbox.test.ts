import { afterAll, beforeAll, expect, test } from 'vitest'
import { overloadedFailure, type Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { runCommand } from '../support/run-command.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
let failing = true
const script: Script = ({ conversation }) => {
  const message = spoken(conversation.lastUserText)
  return failing && message.includes('fails') ? overloadedFailure : { text: `answer to ${message}` }
}

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    script,
    teams: { frontend: {}, backend: { env: { CLAUDE_CODE_MAX_RETRIES: '0' } }, mobile: {} },
  })
})
afterAll(() => iris[Symbol.asyncDispose]())

interface Inbox {
  readonly sessions: readonly {
    from: string
    to: string
    lastTurn?: { status: string; reason?: string; text?: string }
  }[]
  readonly needs: { readonly failed: number }
  readonly nextCursor?: string
}
const inbox = async (input: object = {}) => (await callTool(iris, 'get_inbox', input)) as unknown as Inbox
const needs = { waiting: 0, failed: 0, openElsewhere: 0, expired: 0 }

test('a message that fails with 529 makes its conversation need somebody, until its retry is answered', async () => {
  await ask(iris, 'mobile', 'hello', { fromTeam })
  const failed = await ask(iris, 'backend', 'fails', { fromTeam })
  expect(failed).toMatchObject({ status: 'failed', reason: 'api_overloaded' })
  await ask(iris, 'mobile', 'hello again', { fromTeam })
  const before = await inbox()
  expect(before.needs).toEqual({ ...needs, failed: 1 })
  expect(before.sessions.map(({ to, lastTurn }) => [to, lastTurn?.status])).toEqual([
    ['backend', 'failed'],
    ['mobile', 'completed'],
  ])
  expect(before.sessions[1]!.lastTurn).toMatchObject({ message: 'hello again', text: 'answer to hello again' })
  expect(await callTool(iris, 'get_health')).toMatchObject({ needs: before.needs })

  failing = false
  const retries = await Promise.all([1, 2].map(() => callTool(iris, 'retry_message', { turnId: failed.turnId })))
  const [turnId] = new Set(retries.map((retry) => retry['turnId']))
  expect(retries[1]).toMatchObject({ turnId, from: fromTeam, to: 'backend', sessionId: failed.sessionId })
  const answered = await callTool(iris, 'message_status', { turnId, timeout: 0 })
  expect(answered).toMatchObject({ status: 'completed', response: 'answer to fails' })
  expect((await inbox()).needs).toEqual(needs)
  const { turns } = (await callTool(iris, 'session_turns', { sessionId: failed.sessionId })) as { turns: object[] }
  expect(turns).toMatchObject([
    { turnId: failed.turnId, retriedBy: turnId },
    { turnId, retryOf: failed.turnId, message: 'fails' },
  ])
  // A third click, much later, is the same turn still.
  expect(await callTool(iris, 'retry_message', { turnId: failed.turnId })).toMatchObject({ turnId })
  expect(await refusal(iris, 'retry_message', { turnId: String(turnId) })).toMatchObject({ code: 'invalid_input' })
})

test('a failure that is put aside needs nobody, and is still told as what it is', async () => {
  failing = true
  const { turnId, sessionId } = await ask(iris, 'backend', 'fails too', { fromTeam: 'mobile' })
  expect((await inbox()).needs).toEqual({ ...needs, failed: 1 })
  await callTool({ port: iris.port, token: iris.world.owner() }, 'dismiss_failure', { turnId })
  await iris.event(
    'session-changed',
    (event) => event.sessionId === sessionId && event.session.lastTurn?.isDismissed === true,
  )
  expect((await inbox()).needs).toEqual(needs)
  expect(await callTool(iris, 'message_status', { turnId })).toMatchObject({ status: 'failed' })
})

test('after the end of a message is in doubt, a retry asks first, and names the tools that may have run', async () => {
  const { turnId } = await ask(iris, 'mobile', 'which is in doubt', { fromTeam: 'backend' })
  // As a crash between a tool's start and its end leaves it: process-faults.test.ts and crash.test.ts show the way there.
  iris.change(`UPDATE turns SET outcome = 'in_doubt', answer = NULL WHERE id = '${turnId}'`)
  iris.change(
    `INSERT INTO tool_starts (turn, tool_use_id, delivery, name, input_hash, input_short, started_at)
     VALUES ('${turnId}', 'toolu_1', '${turnId}', 'Bash', 'x', 'rm -rf build', 1)`,
  )
  expect((await inbox()).sessions[0]).toMatchObject({ lastTurn: { turnId, status: 'in_doubt' } })
  const refused = await refusal(iris, 'retry_message', { turnId })
  expect(refused).toMatchObject({ code: 'may_have_run', message: expect.stringContaining('Bash (rm -rf build)') })
  const typed = (args: readonly string[]) => runCommand(iris.world, ['retry', turnId.slice(0, 8), ...args])
  expect(await typed([])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Bash \(rm -rf build\).*--even-in-doubt/s),
  })
  const again = await typed(['--even-in-doubt'])
  expect(again).toMatchObject({ code: 0, stdout: 'answer to which is in doubt\n' })
})

test('what needs nobody comes in pages, the last used first', async () => {
  const first = await inbox({ limit: 2 })
  const rest = await inbox({ limit: 2, cursor: first.nextCursor! })
  const pairs = [...first.sessions, ...rest.sessions].map(({ from, to }) => `${from} ${to}`)
  expect(pairs.slice(0, 1)).toEqual(['backend mobile'])
  expect(new Set(pairs).size).toBe(pairs.length)
  expect(pairs.toSorted()).toEqual(['backend mobile', 'frontend backend', 'frontend mobile', 'mobile backend'])
})

test('a retry has the rights of the role that the message had', async () => {
  failing = true
  const { turnId, thread } = await ask(iris, 'backend', 'fails by a role', {
    fromTeam,
    role: 'chat_bot',
    thread: 'two',
  })
  expect(thread).toBe('role:chat_bot:two')
  failing = false
  const again = await callTool(iris, 'retry_message', { turnId })
  expect(again).toMatchObject({ thread, from: fromTeam })
  expect(await callTool(iris, 'message_status', { turnId: again['turnId'], timeout: 0 })).toMatchObject({
    status: 'completed',
  })
})

test('the turns of a conversation and the rows of the inbox come in pages, each one once', async () => {
  const sessionId = String((await ask(iris, 'mobile', 'page 1', { fromTeam: 'backend', thread: 'pages' })).sessionId)
  for (const number of [2, 3, 4, 5])
    await ask(iris, 'mobile', `page ${number}`, { fromTeam: 'backend', thread: 'pages' })
  const messages: string[][] = []
  let cursor: string | undefined
  do {
    const page = (await callTool(iris, 'session_turns', { sessionId, limit: 2, ...(cursor && { cursor }) })) as {
      turns: { message: string }[]
      nextCursor?: string
    }
    messages.push(page.turns.map(({ message }) => message))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(messages).toEqual([['page 4', 'page 5'], ['page 2', 'page 3'], ['page 1']])

  const owner = { port: iris.port, token: iris.world.owner() }
  failing = true
  for (const thread of ['one', 'two', 'three']) await ask(iris, 'backend', 'fails', { fromTeam: 'mobile', thread })
  const rowsOf = async (input: object) =>
    (await callTool(owner, 'list_inbox', input)) as {
      rows: { session: { sessionId: string } }[]
      more: number
      nextCursor?: string
    }
  const idsOf = ({ rows }: { rows: { session: { sessionId: string } }[] }) =>
    rows.map(({ session }) => session.sessionId)
  const whole = await rowsOf({})
  const first = await rowsOf({ limit: 2 })
  const rest = await rowsOf({ cursor: first.nextCursor })
  expect(whole.rows.length).toBeGreaterThan(2)
  expect([...idsOf(first), ...idsOf(rest)]).toEqual(idsOf(whole))
  expect({ more: first.more, after: rest.nextCursor }).toEqual({ more: whole.rows.length - 2, after: undefined })
})
