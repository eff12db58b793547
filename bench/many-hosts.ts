import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { connect } from '@nats-io/transport-node'
import { aboutEntry } from '../src/features/cluster/host-entry.ts'
import type { HostEntry } from '../src/features/cluster/ports.ts'
import { Seal } from '../src/features/cluster/seal.ts'
import { signJson } from '../src/features/cluster/signed-json.ts'
import { callTool } from '../test/support/call-tool.ts'
import { DaemonProcess } from '../test/support/daemon-process.ts'
import { eventually } from '../test/support/eventually.ts'
import { fakeClaude } from '../test/support/fake-claude.ts'
import { offersTo } from '../test/support/joined-iris.ts'
import { NatsServer } from '../test/support/nats.ts'
import { createWorld } from '../test/support/world.ts'
import { residentMiB } from './daemon-figures.ts'
import { HttpCaller } from './http-caller.ts'
import { alternate, ms, timed } from './measure.ts'
import type { Row } from './row.ts'

const hostsListed = 1000
const teamsEach = 10
const asks = 60
const conversations = 100_000

/** C: what a thousand hosts cost: their directory, and their server. */
export async function manyHosts(): Promise<readonly Row[]> {
  return [await directory(), await atTheServer()]
}

async function directory(): Promise<Row> {
  await using server = await NatsServer.start()
  const cluster = { servers: server.url, name: 'laptop' }
  await using world = await createWorld({ teams: ['frontend'], cluster })
  const alone = await (async () => {
    await using daemon = await DaemonProcess.start(world)
    await known(daemon, 0)
    return residentMiB(daemon.pid)
  })()
  const wire = await connect({ servers: server.url })
  const entries = await new Kvm(jetstream(wire)).open('iris_hosts')
  await Promise.all(Array.from({ length: hostsListed }, (_, host) => entries.put(`host-${host}`, entryOf(host))))
  await wire.close()
  await using daemon = await DaemonProcess.start(world)
  const took = await timed(() => known(daemon, hostsListed))
  const more = residentMiB(daemon.pid) - alone
  const listing = await timed(() => callTool(daemon, 'list_teams'))
  return {
    id: 'C1',
    what: `a directory of ${hostsListed} hosts with ${hostsListed * teamsEach} teams`,
    measured: `known ${ms(took)} after the start, ${more.toFixed(0)} MiB more; list_teams ${ms(listing)}`,
    aim: '≤ 1 s, ≤ 50 MiB',
    data: { took, more, listing },
  }
}

function entryOf(host: number): string {
  const seal = new Seal(Seal.make())
  const teams = Array.from({ length: teamsEach }, (_, team) => ({
    name: `team-${host}-${team}`,
    description: 'A team.',
  }))
  const entry: HostEntry = { wire: 3, version: '0.1.0', key: seal.publicKey, teams, leaseMs: 80_000, count: 1 }
  return signJson(JSON.stringify(entry), aboutEntry(`host-${host}`), seal)
}

async function known(daemon: DaemonProcess, hosts: number): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${daemon.port}/api/cluster`, {
      headers: { authorization: `Bearer ${daemon.token}` },
    })
    const said = (await response.json()) as { link: { state: string }; hosts: unknown[] }
    return said.link.state === 'connected' && said.hosts.length >= hosts
  }, `${hosts} hosts are known`)
}

/** C2 to C4: an ask to another host beside one on this host, and its traffic. About a minute. */
export async function acrossHosts(): Promise<readonly Row[]> {
  await using server = await NatsServer.start('http: "127.0.0.1:-1"')
  using claude = fakeClaude({ bare: true })
  const settings = { claudePath: claude.claudePath }
  const start = async (name: string, teams: Record<string, Record<string, unknown>>) => {
    const world = await createWorld({ teams, settings, env: claude.env, cluster: { servers: server.url, name } })
    return { world, daemon: await DaemonProcess.start(world) }
  }
  const [laptop, studio, tower] = [
    await start('laptop', { frontend: {}, here: {} }),
    await start('studio', { backend: {}, pair: { hosts: ['studio', 'tower'] } }),
    await start('tower', { pair: { hosts: ['studio', 'tower'] } }),
  ]
  try {
    for (const team of ['backend@studio', 'pair@studio', 'pair@tower']) await offersTo(laptop.daemon, team)
    const caller = new HttpCaller(laptop.daemon)
    const send = (team: string) => (): Promise<unknown> => caller.send(team, 'hello')
    for (const team of ['here', 'backend@studio', 'pair@studio']) for (let n = 0; n < 5; n++) await send(team)()
    const { a: here, b: there } = await alternate(asks, send('here'), send('backend@studio'))
    const { b: shared } = await alternate(asks, send('here'), send('pair@studio'))
    const before = await counts(server)
    for (let n = 0; n < asks; n++) await send('backend@studio')()
    const after = await counts(server)
    const each = (of: keyof typeof before): number => (after[of] - before[of]) / asks
    const row = (id: string, what: string, more: number, aim: string): Row => ({
      id,
      what,
      aim,
      data: { here, there, shared },
      measured: `+${ms(more)} (local ${ms(here.p50)})`,
    })
    return [
      row('C2', 'an ask to another host on this machine, beside a local one', there.p50 - here.p50, '≤ 5 ms'),
      row('C3', 'an ask to a team on several hosts, beside a local one', shared.p50 - here.p50, ''),
      {
        id: 'C4',
        what: 'traffic of an ask to another host, at the server',
        measured: `${each('in_msgs').toFixed(1)} messages in, ${each('in_bytes').toFixed(0)} bytes`,
        aim: '',
        data: { before, after },
      },
    ]
  } finally {
    for (const { daemon, world } of [laptop, studio, tower]) {
      await daemon[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    }
  }
}

/** What the server keeps for each host and for each conversation that several hosts may lead. */
async function atTheServer(): Promise<Row> {
  await using server = await NatsServer.start()
  const wire = await connect({ servers: server.url })
  const manager = await jetstreamManager(wire)
  const before = residentMiB(server.pid)
  for (let host = 0; host < hostsListed; host++) {
    const name = `IRIS_host-${host}`
    const subjects = [`iris.mail.host-${host}.>`]
    await manager.streams.add({ name, subjects, retention: RetentionPolicy.Workqueue, max_msgs_per_subject: 1 })
    await manager.consumers.add(name, { durable_name: 'iris', ack_policy: AckPolicy.Explicit })
  }
  const mailboxes = residentMiB(server.pid)
  await manager.streams.add({ name: 'IRIS_LOG_backend', subjects: ['iris.log.backend.*'] })
  const record = Buffer.alloc(200)
  for (let batch = 0; batch < conversations / 1000; batch++) {
    const sent = Array.from({ length: 1000 }, (_, at) =>
      jetstream(wire).publish(`iris.log.backend.${batch}-${at}`, record),
    )
    await Promise.all(sent)
  }
  const logs = residentMiB(server.pid)
  await wire.close()
  const [ofMailboxes, ofLogs] = [mailboxes - before, logs - mailboxes]
  return {
    id: 'C5',
    what: `memory of the server: ${hostsListed} mailboxes, ${conversations} conversations with a log`,
    measured: `+${ofMailboxes.toFixed(0)} MiB, +${ofLogs.toFixed(0)} MiB (from ${before.toFixed(0)})`,
    aim: '',
    data: { before, mailboxes, logs },
  }
}

async function counts({ said }: NatsServer): Promise<{ in_msgs: number; in_bytes: number }> {
  const [, port] = /http monitor on 127\.0\.0\.1:(\d+)/.exec(said)!
  return (await (await fetch(`http://127.0.0.1:${port}/varz`)).json()) as { in_msgs: number; in_bytes: number }
}
