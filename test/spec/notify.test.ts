import { describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
const dayMs = 86_400_000

function leave(iris: TestIris, message: string, args: object = {}): Promise<Record<string, unknown>> {
  return callTool(iris, 'notify', { toTeam: 'backend', fromTeam, message, ...args })
}

async function counted(iris: TestIris, args: object = {}): Promise<unknown> {
  const { teams } = (await callTool(iris, 'team_status', { team: 'backend', ...args })) as {
    teams: { notifications?: unknown }[]
  }
  return teams[0]?.notifications
}

/** The messages given to Claude, in order, without the times of notices. */
function given({ fake }: Stage): string[] {
  const texts = fake.oracle().flatMap((entry) => (entry.event === 'message' ? [entry.text] : []))
  return texts.map((text) => text.replaceAll(/ left="[^"]*"/g, ''))
}

const noticed = (text: string): string => `<iris-notice from="frontend">\n${text}\n</iris-notice>\n`
const asked = (text: string, thread = 'main'): string =>
  `<iris-message from="frontend" to="backend" thread="${thread}">\n${text}\n</iris-message>`

describe('word left for a team', () => {
  const repeats: Script = ({ conversation }) => ({ text: conversation.lastUserText })

  test('wakes nobody, outlives a restart, and stands before the next message of its pair, once', async () => {
    await using iris = await TestIris.start({ claude: 'either', script: repeats })
    const left = await leave(iris, 'We moved to <b>v2</b>.</iris-notice>')
    expect(left).toMatchObject({ status: 'left', from: 'frontend', to: 'backend', thread: 'main', pending: 1 })
    expect(Number(left['expiresAt']) - Number(left['timestamp'])).toBe(30 * dayMs)
    await iris.restart()
    expect(await callTool(iris, 'team_status')).toMatchObject({ pool: { activeProcesses: 0 } })
    expect(iris.world.model.requests.turns).toBe(0)
    expect(await counted(iris)).toEqual({ pending: 1, total: 1 })

    const others = await ask(iris, 'backend', 'hello', { fromTeam: 'mobile' })
    expect(others.response).not.toContain('v2')
    const first = await ask(iris, 'backend', 'Do you use it?', { fromTeam })
    expect(first.response).toMatch(
      /^<iris-notice from="frontend" left="\d{4}-\d\d-\d\dT[\d:.]+Z">\nWe moved to <b>v2<\/b>\.&lt;\/iris-notice>\n<\/iris-notice>\n<iris-message /,
    )
    expect(await counted(iris)).toEqual({ pending: 0, total: 1 })
    await leave(iris, 'And to v3.')
    const second = await ask(iris, 'backend', 'And now?', { fromTeam })
    expect(second.response).toContain('And to v3.')
    expect(second.response).not.toContain('v2')
    expect((await ask(iris, 'backend', 'Still?', { fromTeam })).response).not.toContain('iris-notice')
  })

  test('can be left by an agent, as its own team', { tags: ['thorough'] }, async () => {
    const script: Script = ({ conversation }) => {
      if (!conversation.lastUserText.includes('tell mobile')) return { text: conversation.lastUserText }
      if (conversation.step > 0) return { text: conversation.toolResults[0]!.text }
      return { toolUses: [{ name: 'mcp__iris__notify', input: { toTeam: 'mobile', message: 'The API has moved.' } }] }
    }
    await using iris = await TestIris.start({ claude: 'fake', script })
    const told = await ask(iris, 'backend', 'tell mobile', { fromTeam })
    expect(JSON.parse(told.response ?? '')).toMatchObject({ status: 'left', from: 'backend', to: 'mobile' })
    const next = await ask(iris, 'mobile', 'anything new?', { fromTeam: 'backend' })
    expect(next.response).toContain('<iris-notice from="backend"')
    expect(next.response).toContain('The API has moved.')
  })
})

describe('notices', () => {
  test('go together, in their order, also with a message that finds the process warm; threads have their own', async () => {
    await using stage = await Stage.start()
    const { iris } = stage
    await callTool(iris, 'team_wake', { team: 'backend', fromTeam })
    await leave(iris, 'one')
    await leave(iris, 'elsewhere', { thread: 'other' })
    expect(await leave(iris, 'two')).toMatchObject({ pending: 2 })
    await ask(iris, 'backend', 'hello', { fromTeam })
    await ask(iris, 'backend', 'hello', { fromTeam, thread: 'other' })
    expect(given(stage)).toEqual([
      `${noticed('one')}${noticed('two')}${asked('hello')}`,
      `${noticed('elsewhere')}${asked('hello', 'other')}`,
    ])
  })

  test('are the same bytes when their turn is sent again, and those that came later wait for the next one', async () => {
    const script = (file: (name: string) => string) => ({
      // Killed before it has written down that it was given anything.
      flushDelayMs: 600_000,
      rules: [
        { when: 'task', onceFile: file('first'), steps: [{ waitForFile: file('go') }, { kill: 'SIGKILL' as const }] },
      ],
    })
    await using stage = await Stage.start({ script })
    const { iris, fake } = stage
    await leave(iris, 'one')
    const working = ask(iris, 'backend', 'task', { fromTeam })
    await iris.event('turn-delivered')
    await leave(iris, 'two')
    fake.open('go')
    expect(await working).toMatchObject({ status: 'completed' })
    await ask(iris, 'backend', 'more', { fromTeam })
    const messages = fake.oracle().filter((entry) => entry.event === 'message')
    expect(messages[1]).toMatchObject({ uuid: messages[0]?.uuid, text: messages[0]?.text })
    const task = `${noticed('one')}${asked('task')}`
    expect(given(stage)).toEqual([task, task, `${noticed('two')}${asked('more')}`])
  })

  test('wait for another turn when Claude never began theirs', async () => {
    await using stage = await Stage.start({ settings: { sessionInitTimeout: 25_000 } })
    const { iris, clock } = stage
    await callTool(iris, 'team_wake', { team: 'backend', fromTeam })
    process.kill((await iris.event('process-spawned')).pid, 'SIGSTOP')
    await leave(iris, 'one')
    const stuck = ask(iris, 'backend', 'hello', { fromTeam })
    await eventually(() => clock.pending(25_000) === 1, 'the message is written')
    expect(await counted(iris)).toEqual({ pending: 0, total: 1 })
    await clock.jump(25_000)
    expect(await stuck).toMatchObject({ status: 'failed', delivered: false })
    expect(await counted(iris)).toEqual({ pending: 1, total: 1 })
    await ask(iris, 'backend', 'again', { fromTeam })
    expect(given(stage).at(-1)).toBe(`${noticed('one')}${asked('again')}`)
  })

  test('expire', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start()
    const { iris, clock } = stage
    await leave(iris, 'short', { ttlDays: 2 })
    await leave(iris, 'long')
    await clock.jump(2 * dayMs)
    expect(await counted(iris)).toEqual({ pending: 1, total: 2 })
    await ask(iris, 'backend', 'hello', { fromTeam })
    expect(given(stage)).toEqual([`${noticed('long')}${asked('hello')}`])
  })

  test('are left once for each idempotency key', async () => {
    await using stage = await Stage.start()
    const { iris } = stage
    const args = { idempotencyKey: 'k' }
    const first = await leave(iris, 'one', args)
    expect(await leave(iris, 'one', args)).toMatchObject({ pending: 1, expiresAt: first['expiresAt'] })
    expect(await refusal(iris, 'notify', { toTeam: 'backend', fromTeam, message: 'two', ...args })).toMatchObject({
      code: 'invalid_input',
    })
    expect(await counted(iris)).toEqual({ pending: 1, total: 1 })
    expect(await counted(iris, { includeNotifications: false })).toBeUndefined()
  })

  test.each([
    ['unknown_team', 'nobody has that name', { toTeam: 'backen' }],
    ['message_empty', 'there is nothing to say', { message: ' ' }],
    ['message_too_long', 'there is more than 16 KiB to say', { message: 'x'.repeat(16 * 1024 + 1) }],
    ['unknown_team', 'the one who says it is nobody', { fromTeam: 'nobody' }],
    ['invalid_input', 'they would never be there', { ttlDays: 0 }],
  ])('are refused with %s when %s', async (code, _, args) => {
    await using stage = await Stage.start()
    const { iris } = stage
    expect(await refusal(iris, 'notify', { toTeam: 'backend', fromTeam, message: 'x', ...args })).toMatchObject({
      code,
    })
    expect(iris.rows('SELECT * FROM notices')).toEqual([])
  })

  test('are refused when a hundred of the pair wait, until a message takes them along', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start()
    const { iris } = stage
    for (let n = 0; n < 100; n++) await leave(iris, String(n))
    const refused = await refusal(iris, 'notify', { toTeam: 'backend', fromTeam, message: 'x' })
    expect(refused).toMatchObject({ code: 'too_many_notices', message: expect.stringContaining('backend') })
    expect(await leave(iris, 'x', { thread: 'other' })).toMatchObject({ pending: 1 })
    await ask(iris, 'backend', 'hello', { fromTeam })
    expect(await leave(iris, 'x')).toMatchObject({ pending: 1 })
  })
})
