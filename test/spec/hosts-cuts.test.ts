import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { answerPermission, questionOf } from '../support/owner.ts'
import { type RemoteWorld, startRemoteWorld } from '../support/remote-world.ts'
import { spoken } from '../support/world.ts'

let goesOn = Promise.withResolvers<void>()
/** Half of an answer, and the rest once the test lets it come. */
async function* inPieces(): AsyncIterable<string> {
  yield 'one, '
  await goesOn.promise
  yield 'two'
}

/** `run <command>` uses Bash, `stream` comes in pieces; of all else the model says how long it was. */
const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
  const said = spoken(lastUserText)
  if (step > 0) return { text: `It said: ${toolResults.at(-1)?.text ?? ''}` }
  if (said === 'stream') return { stream: inPieces() }
  if (said.startsWith('run ')) return { toolUses: [{ name: 'Bash', input: { command: said.slice(4) } }] }
  return { text: `${said.length} characters` }
}

let world: RemoteWorld
beforeAll(async () => {
  world = await startRemoteWorld({ claude: 'either', there: 'either', script })
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => rmSync(join(world.host.directory('backend'), 'effects'), { force: true }))

const fromTeam = 'frontend'
const effects = (): string => {
  const file = join(world.host.directory('backend'), 'effects')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
/** How many programs the host keeps for this Iris. */
const runs = (): number => readdirSync(join(world.host.home, '.cache/iris/runs')).length

test('in the middle of a stream: each piece comes once', async () => {
  const { iris, host } = world
  goesOn = Promise.withResolvers()
  const asked = ask(iris, 'backend', 'stream', { fromTeam })
  await iris.event('turn-message', ({ message }) => JSON.stringify(message).includes('one, '))
  host.cut()
  goesOn.resolve()
  expect(await asked).toMatchObject({ status: 'completed', response: 'one, two' })
})

test('in the middle of a permission question: it stays, and the tool runs once', async () => {
  const { iris, host } = world
  const asked = ask(iris, 'backend', 'run echo effect >> effects', { fromTeam })
  const question = await questionOf(iris, 'backend')
  host.cut()
  await answerPermission(iris, question, 'allow')
  expect(await asked).toMatchObject({ status: 'completed' })
  expect(effects()).toBe('effect\n')
})

test('in the middle of a message of 1 MB: it arrives whole', async () => {
  const { iris, host } = world
  const message = 'long '.repeat(200_000).trim()
  const asked = ask(iris, 'backend', message, { fromTeam })
  host.cut()
  expect(await asked).toMatchObject({ status: 'completed', response: `${message.length} characters` })
})

test('while the process starts, again and again: one process, one answer', { tags: ['thorough'] }, async () => {
  const { iris, host } = world
  const before = runs()
  const asked = ask(iris, 'backend', 'hello', { fromTeam, thread: 'new' })
  for (let cuts = 0; cuts < 3; cuts += 1) {
    await eventually(() => host.connections() > 0, 'there is a connection')
    host.cut()
  }
  // A machine that vanishes before anything was started may be a failure that is said; then nothing runs there.
  const first = await asked
  const isSaid = first.status === 'failed' && first.reason === 'host_unreachable'
  const answer = isSaid ? await ask(iris, 'backend', 'hello', { fromTeam, thread: 'new' }) : first
  expect(answer).toMatchObject({ status: 'completed', response: '5 characters' })
  expect(runs()).toBe(before + 1)
})

test('while the process is being stopped: it ends, and the conversation goes on', { tags: ['thorough'] }, async () => {
  const { iris, host } = world
  const { sessionId } = await ask(iris, 'backend', 'hello', { fromTeam, thread: 'new' })
  const sleeping = callTool(iris, 'team_sleep', { team: 'backend', fromTeam, thread: 'new' })
  host.cut()
  await sleeping
  const again = await ask(iris, 'backend', 'again', { fromTeam, thread: 'new' })
  expect(again).toMatchObject({ status: 'completed', response: '5 characters', sessionId })
  const alive = iris.rows("SELECT count(*) AS live FROM team_sessions WHERE status = 'active'")
  expect(runs()).toBe(alive[0]?.['live'])
})
