import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { spoken } from '../support/world.ts'

/** Answers with everything the asker ever said in this conversation, as Claude Code resent it. */
const remembers: Script = ({ conversation }) => ({ text: conversation.userTexts.map(spoken).join(' | ') })

test('the second question of a pair continues its conversation; another asker has another and sees nothing of it', async () => {
  await using iris = await TestIris.start({ script: remembers })
  const first = await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
  const second = await ask(iris, 'backend', 'two', { fromTeam: 'frontend' })
  const other = await ask(iris, 'backend', 'three', { fromTeam: 'mobile' })
  expect(first).toMatchObject({ status: 'completed', response: 'one', from: 'frontend', to: 'backend', thread: 'main' })
  expect(second).toMatchObject({
    status: 'completed',
    response: 'one | two',
    sessionId: first.sessionId,
    delivered: true,
  })
  expect(other).toMatchObject({ status: 'completed', response: 'three' })
  expect(other.sessionId).not.toBe(first.sessionId)
})

test('the conversation goes on after a restart of the daemon; people can read its raw lines and a log', async () => {
  await using iris = await TestIris.start({ claude: 'either', script: remembers })
  const before = await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
  await iris.restart()
  const after = await ask(iris, 'backend', 'two', { fromTeam: 'frontend' })
  const { sessionId } = before
  expect(after).toMatchObject({ status: 'completed', response: 'one | two', sessionId })
  expect(after).not.toHaveProperty('contextReset')
  expect(await callTool(iris, 'message_status', { turnId: before.turnId })).toMatchObject({
    status: 'completed',
    response: 'one',
  })
  await iris.daemon.stop(0)
  const directory = join(iris.world.home, 'output_streams', sessionId)
  const conversation = JSON.parse(readFileSync(join(directory, 'conversation.json'), 'utf8'))
  expect(conversation).toMatchObject({
    sessionId,
    agentName: 'backend',
    from: 'frontend',
    to: 'backend',
    thread: 'main',
  })
  const types = conversation.messages.map(({ type, subtype }: { type: string; subtype?: string }) => subtype ?? type)
  expect(types.filter((type: string) => type === 'init' || type === 'success')).toEqual([
    'init',
    'success',
    'init',
    'success',
  ])
  const log = readFileSync(join(directory, 'stream.log'), 'utf8')
  for (const said of ['one', '=== Session Continued ===', 'two', 'one | two']) expect(log).toContain(said)
})

test('threads of a pair are conversations of their own', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start({ claude: 'either', script: remembers })
  const [main, review] = await Promise.all([
    ask(iris, 'backend', 'one', { fromTeam: 'frontend' }),
    ask(iris, 'backend', 'two', { fromTeam: 'frontend', thread: 'review' }),
  ])
  expect(main.response).toBe('one')
  expect(review).toMatchObject({ response: 'two', thread: 'review' })
})

// queue.test.ts shows it of a hundred calls with the fake Claude Code.
test('twenty calls at once for a new pair are one session, one process, and twenty answers in order', {
  tags: ['thorough'],
}, async () => {
  await using iris = await TestIris.start({
    claude: 'either',
    script: ({ conversation }) => ({ text: spoken(conversation.lastUserText) }),
  })
  const settled: string[] = []
  iris.events$.subscribe((event) => {
    if (event.type === 'turn-settled') settled.push(event.turnId)
  })
  const asked = Array.from({ length: 20 }, (_, index) => `question ${index}`)
  const answers = await Promise.all(asked.map((message) => ask(iris, 'backend', message, { fromTeam: 'frontend' })))
  expect(answers.map(({ response }) => response)).toEqual(asked)
  expect(new Set(answers.map(({ sessionId }) => sessionId)).size).toBe(1)
  expect(iris.rows('SELECT id FROM turns ORDER BY sequence').map(({ id }) => id)).toEqual(settled)
  expect(iris.rows('SELECT * FROM team_sessions')).toHaveLength(1)
  const spawned: unknown[] = []
  iris.events$.subscribe((event) => event.type === 'process-spawned' && spawned.push(event))
  expect(spawned).toHaveLength(1)
})

test('a caller outside any team is external, and a team that does not exist is refused with the nearest name', async () => {
  await using iris = await TestIris.start({ claude: 'either' })
  expect(await ask(iris, 'backend', 'hello')).toMatchObject({ from: 'external', response: 'You said: hello' })
  expect(await refusal(iris, 'send_message', { toTeam: 'backnd', message: 'x' })).toEqual({
    code: 'unknown_team',
    message: 'There is no team "backnd".',
    remedy: 'Did you mean "backend"? Teams: frontend, backend, mobile.',
  })
  expect(await refusal(iris, 'send_message', { toTeam: 'constructor', message: 'x' })).toMatchObject({
    code: 'unknown_team',
  })
})
