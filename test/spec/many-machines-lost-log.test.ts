import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { type FakeClaudeSetup, fakeClaude, type Script } from '../support/fake-claude.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { nextDaemon } from '../support/next-daemon.ts'
import { effects } from '../support/oracle.ts'
import { createWorld, type World } from '../support/world.ts'

// The team "backend" lives on studio and on tower, and laptop asks it. Studio leads, and is its own process. The
// server loses what it kept.
interface Hosts {
  readonly server: NatsServer
  readonly laptop: JoinedIris
  readonly tower: JoinedIris
  readonly studio: World
  readonly studioClaude: FakeClaudeSetup
  readonly daemon: DaemonProcess
}

let ends: AsyncDisposableStack
afterEach(() => ends.disposeAsync())

async function hosts(): Promise<Hosts> {
  ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const team = { name: 'backend', hosts: ['studio', 'tower'] }
  const laptop = ends.use(await joinedIris(server, 'laptop', { teams: ['frontend'] }))
  const studioClaude = ends.use(fakeClaude({ script }))
  const studio = ends.use(
    await createWorld({
      teams: { backend: { hosts: team.hosts } },
      cluster: { servers: server.url, name: 'studio' },
      settings: { claudePath: studioClaude.claudePath },
      env: studioClaude.env,
    }),
  )
  const daemon = await started(studio)
  await offersTo(laptop.iris, 'backend@studio')
  const first = { toTeam: 'backend@studio', message: 'Remember this.', timeout: 0 }
  expect(await callTool(laptop.iris, 'send_message', first)).toMatchObject({ status: 'completed' })
  const tower = ends.use(await joinedIris(server, 'tower', { teams: [team], script }))
  await offersTo(laptop.iris, 'backend@tower')
  return { server, laptop, tower, studio, studioClaude, daemon }
}

async function started(world: World): Promise<DaemonProcess> {
  return ends.use(await DaemonProcess.start(world))
}

/** Work has two tools. Whoever begins it leaves "first", once more for each time that it is begun. */
const script = (file: (name: string) => string): Script => ({
  rules: [
    { when: 'Remember', steps: [{ text: 'I remember.' }] },
    { when: 'was interrupted before the answer', steps: [{ text: 'It went on.' }] },
    { steps: [held('first', file), held('second', file), { text: 'Done.' }] },
  ],
})

function held(name: string, file: (name: string) => string) {
  const during = [{ appendFile: { path: file('effect'), line: name } }, { waitForFile: file(`after-${name}`) }]
  return { tool: { name: 'Read', during } }
}

const lines = ({ studioClaude, tower }: Hosts): string[] =>
  [studioClaude, tower.claude].flatMap((claude) => effects(claude.oracle()).map(({ line }) => line))

async function work(all: Hosts): Promise<unknown> {
  const message = { toTeam: 'backend@studio', message: 'Work on it.', timeout: -1 }
  const { turnId } = await callTool(all.laptop.iris, 'send_message', message)
  await eventually(() => lines(all).length === 1, 'studio is at work')
  return turnId
}

test.each([
  ['are lost', false],
  ['are older', true],
])(
  'the files of the server %s while the leader is away: no other host begins its message again, and it goes on',
  {
    tags: ['thorough'],
  },
  async (_what, isOlder) => {
    const all = await hosts()
    const { server, studioClaude, laptop, studio, daemon } = all
    let lose = (): void => server.loseFiles()
    if (isOlder) {
      await server.kill()
      lose = server.keepFiles()
      await server.start()
    }
    const turnId = await work(all)
    const known = () => laptop.iris.rows('SELECT host, log, waits_since FROM cluster_begun')[0]
    await eventually(() => typeof known()?.['log'] === 'string', 'laptop knows that studio has begun it')
    await daemon.kill()
    await server.kill()
    lose()
    await server.start()
    // Tower was asked, and has no record of it.
    await eventually(() => typeof known()?.['waits_since'] === 'number', 'the message waits')
    expect([known()?.['host'], lines(all)]).toEqual(['studio', ['first']])
    for (const name of ['first', 'second']) studioClaude.open(`after-${name}`)
    const again = ends.use(await nextDaemon(studio))
    const result = await callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
    expect(result).toMatchObject({ status: 'completed', response: 'It went on.' })
    expect([known(), lines(all)]).toEqual([undefined, ['first']])
    // Studio remembers more of its conversation than the server.
    const headers = { authorization: `Bearer ${again.owner}` }
    const status = await fetch(`http://127.0.0.1:${again.port}/api/cluster`, { headers })
    const lost = { team: 'backend', from: 'external@laptop', thread: 'main' }
    expect(await status.json()).toMatchObject({ lostRecords: [expect.objectContaining(lost)] })
    using database = new DatabaseSync(join(studio.home, 'data/team-sessions.db'), { readOnly: true })
    const audited = database.prepare(`SELECT subject FROM audit WHERE action = 'conversation.records-lost'`).all()
    expect(audited).toEqual([{ subject: 'external@laptop→backend' }])
  },
)

test('the files are lost and the leader lives: the next host knows all that the leader had begun', async () => {
  const all = await hosts()
  const { server, studioClaude, laptop, daemon } = all
  const turnId = await work(all)
  await server.kill()
  server.loseFiles()
  await server.start()
  studioClaude.open('after-first')
  await eventually(() => lines(all).length === 2, 'the second tool runs')
  await daemon.kill()
  const result = await callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
  expect(result).toMatchObject({ status: 'completed', contextReset: expect.stringContaining('tower') })
  expect(lines(all)).toEqual(['first', 'second'])
})
