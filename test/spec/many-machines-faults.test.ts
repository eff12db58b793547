import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude, type Script } from '../support/fake-claude.ts'
import { offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { type NextDaemon, nextDaemon } from '../support/next-daemon.ts'
import { deliveredUuids, effects } from '../support/oracle.ts'
import { firstIn } from '../support/tier.ts'
import { createWorld, type World } from '../support/world.ts'

/** Two hosts, those that are killed in processes of their own, and the server between them. Everything ends with the test. */
interface Hosts {
  readonly server: NatsServer
  readonly laptop: World
  readonly studio: World
  readonly claude: FakeClaudeSetup
}

let ends: AsyncDisposableStack
afterEach(() => ends.disposeAsync())

async function hosts(script: Parameters<typeof fakeClaude>[0] = {}): Promise<Hosts> {
  ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const claude = ends.use(fakeClaude(script))
  const world = async (name: string, teams: string[]): Promise<World> =>
    ends.use(
      await createWorld({
        teams,
        cluster: { servers: server.url, name },
        settings: { claudePath: claude.claudePath },
        env: claude.env,
      }),
    )
  return { server, claude, laptop: await world('laptop', ['frontend']), studio: await world('studio', ['backend']) }
}

async function started(world: World, dieAt?: string, inMessage?: string): Promise<DaemonProcess> {
  return ends.use(await DaemonProcess.start(world, dieAt, inMessage))
}

/** A host that nobody kills. */
async function startedHere(world: World): Promise<NextDaemon> {
  return ends.use(await nextDaemon(world))
}

const gated: (file: (name: string) => string) => Script = (file) => ({
  rules: [
    {
      onceFile: file('begun'),
      steps: [
        {
          tool: {
            name: 'Read',
            during: [{ appendFile: { path: file('effect'), line: 'done' } }, { waitForFile: file('go') }],
          },
        },
        { text: 'The answer.' },
      ],
    },
    { steps: [{ text: 'The answer.' }] },
  ],
})

/** How the turn ended on that host, as its ledger has it. */
function endIn({ home }: World, turnId: unknown): unknown {
  using database = new DatabaseSync(join(home, 'data/team-sessions.db'), { readOnly: true })
  return database.prepare('SELECT outcome, answer FROM turns WHERE id = ?').get(String(turnId))
}

async function asked(from: NextDaemon, message = 'Please.'): Promise<unknown> {
  await offersTo(from, 'backend@studio')
  const { turnId } = await callTool(from, 'send_message', { toTeam: 'backend@studio', message, timeout: -1 })
  return turnId
}

const answered = { outcome: 'completed', answer: 'The answer.' }

test('kill -9 of the owner in the middle: it goes on after its start, once, and the asker gets the answer', {
  tags: ['thorough'],
}, async () => {
  const { laptop, studio, claude } = await hosts({ script: gated })
  const [one, two] = [await startedHere(laptop), await started(studio)]
  const turnId = await asked(one)
  await eventually(() => effects(claude.oracle()).length === 1, 'the owner is at work')
  await two.kill()
  claude.open('go')
  await startedHere(studio)
  const result = await callTool(one, 'message_status', { turnId, timeout: 0 })
  expect(result).toMatchObject({ status: 'completed' })
  expect(effects(claude.oracle())).toHaveLength(1)
})

test.each(firstIn(['accepted', 'settled']))(
  'kill -9 of the owner at "%s": executed once, answered once',
  async (checkpoint) => {
    const { laptop, studio, claude } = await hosts({ script: gated })
    claude.open('go')
    const [one, two] = [await startedHere(laptop), await started(studio, checkpoint)]
    const turnId = await asked(one)
    expect(await two.exited).toBe('SIGKILL')
    await startedHere(studio)
    await eventually(
      () => JSON.stringify(endIn(laptop, turnId)) === JSON.stringify(answered),
      'the asker has the answer',
    )
    expect(deliveredUuids(claude.oracle())).toEqual([turnId])
  },
)

test.each(firstIn(['accepted', 'settled']))(
  'kill -9 of the asker at "%s": its next start gets the answer',
  async (checkpoint) => {
    const { laptop, studio, claude } = await hosts({ script: gated })
    claude.open('go')
    const [one] = [await started(laptop, checkpoint), await startedHere(studio)]
    const { turnId } = (await offersTo(one, 'backend@studio')) && (await tried(one))
    expect(await one.exited).toBe('SIGKILL')
    await startedHere(laptop)
    const idOf = (): string => {
      using database = new DatabaseSync(join(laptop.home, 'data/team-sessions.db'), { readOnly: true })
      return String(database.prepare('SELECT id FROM turns').get()?.['id'])
    }
    const id = turnId ?? idOf()
    await eventually(() => JSON.stringify(endIn(laptop, id)) === JSON.stringify(answered), 'the asker has the answer')
    expect(deliveredUuids(claude.oracle())).toEqual([id])
  },
)

/** The answer of a call during which its daemon may die. */
async function tried(daemon: DaemonProcess): Promise<{ readonly turnId?: unknown }> {
  return callTool(daemon, 'send_message', { toTeam: 'backend@studio', message: 'Please.', timeout: -1 }).catch(
    () => ({}),
  )
}

test('kill -9 of the server in the middle: the answer comes once it is back', { tags: ['thorough'] }, async () => {
  const { server, laptop, studio, claude } = await hosts({ script: gated })
  const [one] = [await startedHere(laptop), await startedHere(studio)]
  const turnId = await asked(one)
  await eventually(() => effects(claude.oracle()).length === 1, 'the owner is at work')
  await server.kill()
  claude.open('go')
  await eventually(() => JSON.stringify(endIn(studio, turnId)) === JSON.stringify(answered), 'the owner has answered')
  expect(endIn(laptop, turnId)).toEqual({ outcome: null, answer: null })
  await server.start()
  expect(await callTool(one, 'message_status', { turnId, timeout: 0 })).toMatchObject({ status: 'completed' })
  expect(deliveredUuids(claude.oracle())).toEqual([turnId])
})

test('a host that is asleep answers when it is back; without it the budget of the ask ends it', {
  tags: ['thorough'],
}, async () => {
  const { laptop, studio, claude } = await hosts({ script: gated })
  claude.open('go')
  const [one, two] = [await startedHere(laptop), await started(studio)]
  await offersTo(one, 'backend@studio')
  await two.kill()
  const message = { toTeam: 'backend@studio', message: 'Please.', timeout: -1 }
  const { turnId: late } = await callTool(one, 'send_message', { ...message, thread: 'late', budget: { time: 100 } })
  const { turnId } = await callTool(one, 'send_message', message)
  const ended = await callTool(one, 'message_status', { turnId: late, timeout: 0 })
  expect(ended).toMatchObject({ status: 'failed', reason: 'over_budget' })
  await startedHere(studio)
  expect(await callTool(one, 'message_status', { turnId, timeout: 0 })).toMatchObject({ status: 'completed' })
  const cancelled = { outcome: 'cancelled', answer: null }
  await eventually(() => JSON.stringify(endIn(studio, late)) === JSON.stringify(cancelled), 'the late one is cancelled')
  expect(deliveredUuids(claude.oracle()).filter((uuid) => uuid === turnId)).toHaveLength(1)
})

test('a message for a host that was never seen is refused at once', async () => {
  const { laptop } = await hosts()
  const one = await startedHere(laptop)
  expect(await refusal(one, 'send_message', { toTeam: 'backend@tower', message: 'x' })).toMatchObject({
    code: 'unknown_team',
  })
  await expect(ask(one, 'frontend', 'Here?')).resolves.toMatchObject({ status: 'completed' })
})
