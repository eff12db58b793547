import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterEach, expect, test } from 'vitest'
import { Seal } from '../../src/features/cluster/seal.ts'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { asOwner } from '../support/owner.ts'
import { Program } from '../support/program.ts'

// How long letters are kept, and how much room a mailbox takes.
let ends: AsyncDisposableStack
afterEach(() => ends.disposeAsync())

const mailboxBytes = 64 * 2 ** 20
const weekNanos = 7 * 86_400 * 1e9

async function link({ iris }: JoinedIris): Promise<{ readonly state: string; readonly why?: string }> {
  const { link } = (await asOwner(iris, 'cluster_status')) as { link: { state: string; why?: string } }
  return link
}

test('a letter of a host that never announced itself waits, is not executed, and the mailbox forgets it after a week', async () => {
  ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  const studio = ends.use(await joinedIris(server, 'studio', { teams: ['backend'] }))
  const laptop = ends.use(await joinedIris(server, 'laptop', { teams: ['frontend'] }))
  await offersTo(laptop.iris, 'backend@studio')
  const wire = await connect({ servers: server.url })
  ends.defer(() => wire.close())
  const turn = '00000000-0000-4000-8000-00000000000d'
  const sealed = new Seal(Seal.make()).seal('attic', 'studio', { turn, kind: 'ask', text: '{}' })
  await jetstream(wire).publish(`iris.mail.studio.attic.${turn}.ask`, sealed)
  const { streams, consumers } = await jetstreamManager(wire)
  await eventually(async () => (await consumers.info('IRIS_studio', 'iris')).num_redelivered > 0, 'it was looked at')
  // It holds nobody else up.
  expect(await ask(laptop.iris, 'backend@studio', 'Hello')).toMatchObject({ status: 'completed' })
  expect(studio.iris.rows(`SELECT 1 FROM turns WHERE id = '${turn}'`)).toEqual([])
  const { config, state } = await streams.info('IRIS_studio')
  expect(state.messages).toBe(1)
  expect(config).toMatchObject({ max_age: weekNanos, max_bytes: mailboxBytes })
})

test('a server without room for a mailbox: the state and the doctor say so, and how to make room', async () => {
  ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start('', '100MB'))
  const studio = ends.use(await joinedIris(server, 'studio', { teams: ['backend'] }))
  await eventually(async () => (await link(studio)).state === 'connected', 'it is connected')
  const laptop = ends.use(await joinedIris(server, 'laptop', { teams: ['frontend'] }))
  const lacksRoom = async () => (await link(laptop)).why?.includes('no room for the mailbox of this host')
  await eventually(lacksRoom, 'it says that there is no room')
  const { why } = await link(laptop)
  expect(why).toContain('reserves 64 MB: raise jetstream.max_file_store')
  const { home, env } = laptop.iris.world
  const { stdout } = await new Program(['doctor', '--json'], { cwd: home, env: { ...env, IRIS_HOME: home } }).ended
  const { findings } = JSON.parse(stdout) as { findings: Record<string, string>[] }
  expect(findings.filter(({ check, state }) => check === 'cluster' && state === 'fail')).toMatchObject([
    { detail: `this host is not connected to the others: ${why}` },
  ])
})
