import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { type Line, textDelta } from '../../src/base/agent/line.ts'
import { ask, callTool, type Endpoint } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { hasText } from '../support/has-text.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { Person } from '../support/registered-person.ts'
import { type RemoteWorld, startRemoteWorld } from '../support/remote-world.ts'
import { openGate, untilOpen } from '../support/shell-gate.ts'
import { spoken } from '../support/world.ts'

/** `run <command>` uses Bash; all else is repeated. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const said = spoken(lastUserText)
  if (step > 0) return { text: `It said: ${toolResults.at(-1)?.text ?? ''}` }
  if (said === 'hold') return { stream: heldText('Half an ans', new Promise(() => {}), 'wer') }
  if (said.startsWith('run ')) return { toolUses: [{ name: 'Bash', input: { command: said.slice(4) } }] }
  return { text: `You said: ${said}` }
}
const obedient = { grantPermission: 'yes', dangerous: true }
/** One effect, then the tool waits until the test lets it continue. */
const heldTool = `run echo effect >> effects; ${untilOpen('go')}; echo done`

describe('the connection is lost', () => {
  let world: RemoteWorld
  beforeAll(async () => {
    world = await startRemoteWorld({ script }, obedient)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('in the middle of a tool: it goes on there, runs once, and the answer and the next message come', async () => {
    const { iris, host } = world
    const effects = join(host.directory('backend'), 'effects')
    const asked = ask(iris, 'backend', heldTool, { fromTeam: 'frontend' })
    await eventually(() => hasText(effects), 'the tool runs')
    host.cut()
    await openGate(join(host.directory('backend'), 'go'))
    const lost = await iris.event('link-lost')
    expect(lost).toMatchObject({ teamName: 'backend', from: 'frontend', host: 'inanna', why: expect.any(String) })
    expect(await iris.event('link-restored')).toMatchObject({ host: 'inanna', lostMs: expect.any(Number) })
    expect(await asked).toMatchObject({ status: 'completed', response: 'It said: done' })
    expect(readFileSync(effects, 'utf8')).toBe('effect\n')
    expect(await ask(iris, 'backend', 'warm?', { fromTeam: 'frontend' })).toMatchObject({ response: 'You said: warm?' })
    expect(iris.rows('SELECT count(*) AS deliveries FROM deliveries')).toEqual([{ deliveries: 2 }])
  })

  test('while nothing runs: the next message finds the same process', { tags: ['thorough'] }, async () => {
    const { iris, host } = world
    await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
    const pid = await pidOf(iris)
    host.cut()
    expect(await ask(iris, 'backend', 'two', { fromTeam: 'frontend' })).toMatchObject({ response: 'You said: two' })
    expect(await pidOf(iris)).toBe(pid)
  })
})

test('a Claude Code there that hangs while its connection lives is ended, its text is kept, and the next message resumes', {
  tags: ['thorough'],
}, async () => {
  const clock = new JumpingClock({ movesMachine: true })
  await using world = await startRemoteWorld({ claude: 'either', there: 'either', script, clock }, obedient)
  const { iris } = world
  const { sessionId } = await ask(iris, 'backend', 'one', { fromTeam: 'frontend' })
  const asked = ask(iris, 'backend', 'hold', { fromTeam: 'frontend' })
  await iris.event('turn-message', ({ message }) => textDelta(message as Line) === 'Half an ans')
  process.kill(await pidOf(iris), 'SIGSTOP')
  // Its silence, the time in which a lost connection shows, and the grace of its end.
  await clock.jump(170_000)
  expect(await asked).toMatchObject({ status: 'timed_out', reason: 'hung', partialResponse: 'Half an ans' })
  const next = await ask(iris, 'backend', 'next', { fromTeam: 'frontend' })
  expect(next).toMatchObject({ status: 'completed', response: 'You said: next', sessionId })
})

test('the connection is lost for an hour of the clock of Iris: the caller hears of it, and the same process answers', async () => {
  const clock = new JumpingClock()
  await using world = await startRemoteWorld(
    { claude: 'either', there: 'either', script, clock },
    { ...obedient, linkGrace: 7_200_000 },
  )
  const { iris, host } = world
  const heard: string[] = []
  const call = { toTeam: 'backend', fromTeam: 'frontend', timeout: 0, message: heldTool }
  const asked = callTool(iris, 'send_message', call, { onProgress: (text) => heard.push(text) })
  const effects = join(host.directory('backend'), 'effects')
  await eventually(() => hasText(effects), 'the tool runs')
  const pid = await pidOf(iris)
  await host.vanish()
  await iris.event('link-lost')
  await clock.jump(3_600_000)
  const { sessions } = (await callTool(iris, 'list_sessions')) as { sessions: { unreachableSince: number }[] }
  expect(clock.now() - sessions[0]!.unreachableSince).toBeGreaterThanOrEqual(3_600_000)
  await eventually(() => heard.some((text) => /unreachable for 3[56]\d\d s/.test(text)), 'the caller hears of it')
  await host.restart([])
  await openGate(join(host.directory('backend'), 'go'))
  expect(await asked).toMatchObject({ status: 'completed', response: 'It said: done' })
  expect(readFileSync(effects, 'utf8')).toBe('effect\n')
  expect(await pidOf(iris)).toBe(pid)
})

test('a person who opens a conversation there is noticed while nobody asks anything', {
  tags: ['thorough'],
}, async () => {
  await using world = await startRemoteWorld({ claude: 'either', there: 'either', script })
  const { iris, host } = world
  const { sessionId } = await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  await using person = new Person(join(host.home, '.claude'), sessionId)
  await iris.event('session-held', ({ pid }) => pid === person.pid)
  await iris.event('process-terminated', ({ why }) => why.includes('a person'))
  await person.leaves()
  await iris.event('session-released', ({ pid }) => pid === person.pid)
  expect(await ask(iris, 'backend', 'again', { fromTeam: 'frontend' })).toMatchObject({
    status: 'completed',
    sessionId,
  })
})

test('a daemon that is stopped leaves neither a process nor a connection there', { tags: ['thorough'] }, async () => {
  await using world = await startRemoteWorld({ claude: 'either', there: 'either', script })
  const { iris, host } = world
  await ask(iris, 'backend', 'hello', { fromTeam: 'frontend' })
  const pid = await pidOf(iris)
  await iris.daemon.stop(0)
  expect(existsSync(`/proc/${pid}`)).toBe(false)
  await eventually(() => host.connections() === 0, 'the connection ends')
})

async function pidOf(iris: Endpoint): Promise<number> {
  const { teams } = (await callTool(iris, 'team_status', { team: 'backend' })) as {
    teams: { sessions: { pid?: number }[] }[]
  }
  return teams[0]!.sessions[0]!.pid!
}
