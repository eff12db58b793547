import { connect } from '@nats-io/transport-node'
import { jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { callTool } from '../test/support/call-tool.ts'
import { joinedIris, offersTo } from '../test/support/joined-iris.ts'
import { NatsServer } from '../test/support/nats.ts'
import { asOwner } from '../test/support/owner.ts'
import { runCommand } from '../test/support/run-command.ts'

const server = await NatsServer.start()
const laptop = await joinedIris(server, 'laptop', { teams: ['frontend'] })
const studio = await joinedIris(server, 'studio', { teams: ['backend'] })
await offersTo(laptop.iris, 'backend@studio')
const mib = () => Math.round(process.memoryUsage().rss / 2 ** 20)
console.log('rss', mib())
const wire = await connect({ servers: server.url })
const kv = await new Kvm(jetstream(wire)).open('iris_hosts')
const teams = Array.from({ length: Number(process.env['T'] ?? 1) }, (_, i) => ({ name: `team${i}`, description: 'x'.repeat(Number(process.env['D'] ?? 12000)) }))
for (let i = 0; i < 3000; i++) await kv.put(`evil${i}`, JSON.stringify({ wire: 1, version: '1', key: 'k', teams, leaseMs: 3_600_000 }))
await new Promise((r) => setTimeout(r, 5000))
console.log('rss', mib())
const timed = async (what: string, work: () => Promise<unknown>) => {
  const t = performance.now()
  try { const r = JSON.stringify(await work()); console.log(what, Math.round(performance.now() - t), 'ms', r.length, r.slice(0, 300)) } catch (e) { console.log(what, 'FAILED', String(e).slice(0, 300)) }
}
for (let round = 0; round < 2; round++) {
  await timed('list_teams', () => callTool(laptop.iris, 'list_teams'))
  await timed('cluster_status', () => asOwner(laptop.iris, 'cluster_status'))
  for (const words of [['status'], ['teams'], ['cluster', 'status']]) await timed(words.join(' '), () => runCommand(laptop.iris.world, words, {}))
  console.log('rss', mib())
  if (round === 0) await laptop.iris.restart()
}
for (const each of [laptop, studio, server]) await each[Symbol.asyncDispose]()
process.exit(0)
