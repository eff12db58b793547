import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterEach, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { callTool } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { createWorld, spoken, type World } from '../support/world.ts'

let ends: AsyncDisposableStack
afterEach(() => ends.disposeAsync())

const agent = {
  name: 'Agent',
  input: { description: 'looks', prompt: 'look around', subagent_type: 'general-purpose' },
}
const script: Script = ({ conversation: { lastUserText, step } }) => {
  if (lastUserText === 'look around') return { text: 'FOUND BY THE SUBAGENT' }
  if (spoken(lastUserText) === 'delegate' && step === 0) return { toolUses: [agent] }
  return { text: 'Done.' }
}

/** The transcripts of subagents that Claude Code has on that host, by their path below the conversation. */
function subagentsOf({ home, claudeDirectory }: World): Map<string, string> {
  using database = new DatabaseSync(join(home, 'data/team-sessions.db'), { readOnly: true })
  const [row] = database.prepare('SELECT session_id FROM team_sessions ORDER BY id DESC').all()
  const projects = join(claudeDirectory, 'projects')
  const files = readdirSync(projects).flatMap((slug) => {
    const place = join(projects, slug, String(row?.['session_id']), 'subagents')
    return existsSync(place) ? readdirSync(place).map((name): [string, string] => [name, join(place, name)]) : []
  })
  return new Map(files.map(([name, path]) => [name, readFileSync(path, 'utf8')]))
}

/** What the log of the team's only conversation has of its subagents. */
async function logged(server: NatsServer): Promise<string> {
  const wire = await connect({ servers: server.url })
  try {
    const { streams } = await jetstreamManager(wire)
    const { state } = await streams.info('IRIS_LOG_backend')
    const texts: string[] = []
    for (let seq = 1; seq <= state.last_seq; seq++)
      texts.push((await streams.getMessage('IRIS_LOG_backend', { seq }))!.string())
    return texts.filter((text) => text.includes('"kind":"subagent"')).join('\n')
  } finally {
    await wire.close()
  }
}

test('the transcripts of subagents go with their conversation to the host that takes it over', async () => {
  ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const world = async (name: string, teams: Record<string, Record<string, unknown>>): Promise<World> =>
    ends.use(await createWorld({ teams, cluster: { servers: server.url, name }, script }))
  const shared = { backend: { hosts: ['studio', 'tower'] } }
  const [laptop, studio, tower] = [
    await world('laptop', { frontend: {} }),
    await world('studio', shared),
    await world('tower', shared),
  ]
  const one = ends.use(await DaemonProcess.start(laptop))
  const two = ends.use(await DaemonProcess.start(studio))
  await offersTo(one, 'backend@studio')
  const ask = { toTeam: 'backend@studio', timeout: 0 }
  expect(await callTool(one, 'send_message', { ...ask, message: 'delegate' })).toMatchObject({ status: 'completed' })
  await eventually(async () => {
    const log = await logged(server)
    const files = [...subagentsOf(studio).keys()]
    return log.includes('FOUND BY THE SUBAGENT') && files.every((name) => log.includes(`"file":"${name}"`))
  }, 'the log has them')
  const before = subagentsOf(studio)
  const [transcript] = [...before].filter(([name]) => name.endsWith('.jsonl'))
  expect(transcript?.[1]).toContain('look around')
  ends.use(await DaemonProcess.start(tower))
  await offersTo(one, 'backend@tower')
  await two.kill()
  expect(await callTool(one, 'send_message', { ...ask, message: 'And now?' })).toMatchObject({
    status: 'completed',
    contextReset: expect.stringContaining('tower'),
  })
  const after = subagentsOf(tower)
  expect([...after.keys()].toSorted()).toEqual([...before.keys()].toSorted())
  expect(after.get(transcript![0])).toContain('FOUND BY THE SUBAGENT')
})
