import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude, type Script } from '../support/fake-claude.ts'
import { offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { type NextDaemon, nextDaemon } from '../support/next-daemon.ts'
import { deliveredUuids, effects, overlappingWriters } from '../support/oracle.ts'
import { createWorld, type World } from '../support/world.ts'

// The team "backend" lives on studio and on tower, where a test says so also on mill; laptop asks it. Those that
// are killed or stopped are processes of their own.
interface Hosts {
  readonly claude: FakeClaudeSetup
  readonly laptop: World
  readonly studio: World
  readonly tower: World
  readonly mill: World | undefined
  readonly one: NextDaemon
  readonly two: DaemonProcess
  readonly three: DaemonProcess
}

let ends: AsyncDisposableStack
afterEach(() => ends.disposeAsync())

async function hosts(script: (file: (name: string) => string) => Script, more: readonly 'mill'[] = []): Promise<Hosts> {
  ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const claude = ends.use(fakeClaude({ script }))
  const shared = { backend: { hosts: ['studio', 'tower', ...more] } }
  const world = async (name: string, teams: Record<string, Record<string, unknown>>): Promise<World> =>
    ends.use(
      await createWorld({
        teams,
        cluster: { servers: server.url, name },
        settings: { claudePath: claude.claudePath },
        env: claude.env,
      }),
    )
  const laptop = await world('laptop', { frontend: {} })
  const [studio, tower] = [await world('studio', shared), await world('tower', shared)]
  const [one, two] = [await startedHere(laptop), await started(studio)]
  const three = await started(tower)
  const mill = more.length > 0 ? await world('mill', shared) : undefined
  if (mill) await startedHere(mill)
  for (const host of ['studio', 'tower', ...more]) await offersTo(one, `backend@${host}`)
  return { claude, laptop, studio, tower, mill, one, two, three }
}

async function started(world: World): Promise<DaemonProcess> {
  return ends.use(await DaemonProcess.start(world))
}

/** A host that nobody kills. */
async function startedHere(world: World): Promise<NextDaemon> {
  return ends.use(await nextDaemon(world))
}

const script = (file: (name: string) => string): Script => ({
  rules: [
    { when: 'Remember', steps: [{ text: 'I remember.' }] },
    {
      onceFile: file('begun'),
      steps: [
        {
          tool: {
            name: 'Read',
            during: [{ appendFile: { path: file('effect'), line: 'first' } }, { waitForFile: file('go') }],
          },
        },
        { tool: { name: 'Read', during: [{ appendFile: { path: file('effect'), line: 'second' } }] } },
        { text: 'The answer of the first.' },
      ],
    },
    { steps: [{ text: 'The answer of the next: {{message}}' }] },
  ],
})

async function asked(from: NextDaemon, message: string): Promise<unknown> {
  const { turnId } = await callTool(from, 'send_message', { toTeam: 'backend@studio', message, timeout: -1 })
  return turnId
}

function rowOf({ home }: World, turnId: unknown): Record<string, unknown> | undefined {
  using database = new DatabaseSync(join(home, 'data/team-sessions.db'), { readOnly: true })
  return database.prepare('SELECT outcome, detail FROM turns WHERE id = ?').get(String(turnId))
}

function movesOf({ home }: World): string[] {
  using database = new DatabaseSync(join(home, 'data/team-sessions.db'), { readOnly: true })
  const sql = `SELECT kind || ' from ' || former_host || ' by ' || host AS move FROM cluster_moves ORDER BY sequence`
  return database
    .prepare(sql)
    .all()
    .map(({ move }) => String(move))
}

function auditOf({ home }: World): Record<string, unknown>[] {
  using database = new DatabaseSync(join(home, 'data/team-sessions.db'), { readOnly: true })
  const sql = `SELECT action, subject, detail FROM audit WHERE action LIKE 'conversation.%' ORDER BY sequence`
  return database.prepare(sql).all()
}

const lines = (claude: FakeClaudeSetup): string[] => effects(claude.oracle()).map(({ line }) => line)

test('kill -9 of the host in the middle of a tool: another one goes on with the conversation, and says so', async () => {
  const { claude, laptop, tower, one, two } = await hosts(script)
  const [subject, detail] = ['external→backend@studio', '{"formerHost":"studio","host":"tower"}']
  const first = await callTool(one, 'send_message', { toTeam: 'backend@studio', message: 'Remember this.', timeout: 0 })
  expect(first).toMatchObject({ status: 'completed' })
  const turnId = await asked(one, 'Work on it.')
  await eventually(() => lines(claude).length === 1, 'studio is at work')
  await two.kill()
  const result = await callTool(one, 'message_status', { turnId, timeout: 0 })
  expect(result).toMatchObject({ status: 'completed', contextReset: expect.stringContaining('tower') })
  // It continues, and knows which tool may have had its effect.
  expect(result['response']).toContain('Read')
  expect(lines(claude)).toEqual(['first'])
  expect(deliveredUuids(claude.oracle()).filter((uuid) => uuid === turnId)).toHaveLength(1)
  // With the past of the conversation.
  const resumed = claude.oracle().filter(({ event }) => event === 'resume')
  expect(resumed).not.toEqual([])
  expect(overlappingWriters(claude.oracle())).toEqual([])
  // Each host's audit says what moved, from where to where.
  expect(auditOf(laptop)).toEqual([{ action: 'conversation.sent', subject, detail }])
  expect(auditOf(tower)).toEqual([{ action: 'conversation.taken', subject: 'external@laptop→backend', detail }])
})

test('two hosts that both believe they lead: the one that was away can do nothing more', {
  tags: ['thorough'],
}, async () => {
  const { claude, studio, tower, one, two } = await hosts(script)
  const turnId = await asked(one, 'Work on it.')
  await eventually(() => lines(claude).length === 1, 'studio is at work')
  process.kill(two.pid, 'SIGSTOP')
  const result = await callTool(one, 'message_status', { turnId, timeout: 0 })
  expect(result).toMatchObject({ status: 'completed', response: expect.stringContaining('The answer of the next') })
  process.kill(two.pid, 'SIGCONT')
  claude.open('go')
  await eventually(() => rowOf(studio, turnId)?.['outcome'] === 'cancelled', 'the turn has ended at studio')
  expect(rowOf(studio, turnId)?.['detail']).toContain('tower has taken the conversation over')
  expect(rowOf(tower, turnId)).toMatchObject({ outcome: 'completed' })
  // Its second tool did not run.
  expect(lines(claude)).toEqual(['first'])
  // The next ask goes to the host with the conversation.
  const next = await callTool(one, 'send_message', { toTeam: 'backend@studio', message: 'And now?', timeout: 0 })
  expect(next).toMatchObject({ status: 'completed' })
  expect(rowOf(tower, next['turnId'])).toMatchObject({ outcome: 'completed' })
  expect(rowOf(studio, next['turnId'])).toBeUndefined()
})

const twice = (file: (name: string) => string): Script => ({
  rules: [
    ...['first', 'second'].map((line) => ({
      onceFile: file(line),
      steps: [
        {
          tool: { name: 'Read', during: [{ appendFile: { path: file('effect'), line } }, { waitForFile: file('go') }] },
        },
        { text: 'Never.' },
      ],
    })),
    { steps: [{ text: 'The answer of the third.' }] },
  ],
})

test('two deaths one after the other: a third host goes on, though the first one is back and has lost the turn', {
  tags: ['thorough'],
}, async () => {
  const { claude, studio, mill, one, two, three } = await hosts(twice, ['mill'])
  const turnId = await asked(one, 'Work on it.')
  await eventually(() => lines(claude).length >= 1, 'studio is at work')
  await two.kill()
  await eventually(() => lines(claude).length >= 2, 'tower goes on')
  await startedHere(studio)
  await eventually(() => rowOf(studio, turnId)?.['outcome'] === 'cancelled', 'studio knows that it has lost the turn')
  await three.kill()
  const result = await callTool(one, 'message_status', { turnId, timeout: 0 })
  expect(result).toMatchObject({ status: 'completed', response: 'The answer of the third.' })
  expect(result['contextReset']).toContain('mill')
  expect(rowOf(mill!, turnId)).toMatchObject({ outcome: 'completed' })
  expect(movesOf(mill!)).toEqual([expect.stringMatching(/^taken from .* by mill$/)])
  expect(lines(claude)).toEqual(['first', 'second'])
  expect(overlappingWriters(claude.oracle())).toEqual([])
})
