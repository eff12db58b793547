import { jetstream } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Seal } from '../../src/features/cluster/seal.ts'
import { agentOf } from '../../src/kernel/call/principal.ts'
import { callAs } from '../support/call-as.ts'
import { callTool } from '../support/call-tool.ts'
import { deadlineMs } from '../support/eventually.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { asOwner } from '../support/owner.ts'
import { runCommand } from '../support/run-command.ts'

// Someone on the server announces 3 000 hosts of 12 kB each, and a host "evil" that says what it likes.
let ends: AsyncDisposableStack
let wire: NatsConnection
let laptop: JoinedIris
const evil = new Seal(Seal.make())
const flood = 3000

beforeAll(async () => {
  ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  wire = await connect({ servers: server.url })
  ends.defer(() => wire.close())
  await new Kvm(jetstream(wire)).create('iris_hosts')
  const announce = (name: string, key: string, description: string) => {
    const teams = [{ name: 'trap', description }]
    const entry = { wire: 1, version: '1.0.0', key, teams, leaseMs: 1 }
    return jetstream(wire).publish(`$KV.iris_hosts.${name}`, JSON.stringify(entry), { timeout: deadlineMs })
  }
  await announce('attic', 'k', 'It was there before.')
  await announce('evil', evil.publicKey, 'x'.repeat(500_000))
  await Promise.all(Array.from({ length: flood }, (_, at) => announce(`forged${at}`, 'k', 'x'.repeat(12_000))))
  const shared = { name: 'shared', hosts: ['laptop', 'attic', 'studio'] }
  laptop = ends.use(await joinedIris(server, 'laptop', { teams: ['frontend', shared] }))
  // Announcements come in order, so the others are known by the time that this one is.
  ends.use(await joinedIris(server, 'studio', { teams: ['backend'] }))
  await offersTo(laptop.iris, 'backend@studio')
})

afterAll(() => ends.disposeAsync())

async function status() {
  return (await asOwner(laptop.iris, 'cluster_status')) as { hosts: { name: string }[]; refused: unknown[] }
}

async function stillWorks(): Promise<void> {
  // Attic and studio, which a team of config.yaml names, have room besides.
  expect((await status()).hosts).toHaveLength(1002)
  for (const words of [['status'], ['teams'], ['cluster', 'status']]) {
    const { code, stdout } = await runCommand(laptop.iris.world, words, {})
    expect({ words, code, stdout: stdout.slice(0, 2000) }).toMatchObject({ code: 0 })
  }
  const agent = { principal: agentOf('frontend'), team: 'frontend', parent: undefined }
  const said = await callAs(agent, laptop.iris, 'list_teams')
  expect(JSON.stringify(said).length).toBeLessThan(100_000)
  expect(JSON.stringify(said)).toContain('backend@studio')
  expect(said['totalTeams']).toBeGreaterThan(1000)
}

test('a flood of forged hosts breaks neither the commands nor the answers to agents, also after a restart', async () => {
  const refused = { host: 'others', count: expect.any(Number), why: expect.stringContaining('no room for a new host') }
  expect((await status()).refused).toContainEqual(refused)
  await stillWorks()
  await laptop.iris.restart()
  await offersTo(laptop.iris, 'backend@studio')
  await stillWorks()
})

test('negative usage of another host counts as none, in the ledger and in budgets', async () => {
  const ask = { fromTeam: 'frontend', toTeam: 'trap@evil', message: 'Hello?', budget: { cost: 5 }, timeout: -1 }
  const { turnId } = await callTool(laptop.iris, 'send_message', ask)
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: -1000 }
  const nothing = { reason: null, detail: null, value: null, partial: null, background: null, contextReset: null }
  const text = JSON.stringify({ outcome: 'completed', answer: 'Done.', usage, ...nothing })
  const letter = { turn: String(turnId), kind: 'settled', text } as const
  await jetstream(wire).publish(`iris.mail.laptop.evil.${turnId}.settled`, evil.seal('evil', 'laptop', letter))
  const answer = await callTool(laptop.iris, 'message_status', { turnId, timeout: deadlineMs })
  expect(answer).toMatchObject({ status: 'completed', response: 'Done.' })
  expect(answer).not.toHaveProperty('usage')
  const { refused } = await status()
  const why = 'its usage was out of bounds and left out'
  expect(refused).toContainEqual({ host: 'evil', count: expect.any(Number), why })
})

test('iris cluster forget --unreachable lists what it would forget, and asks; hosts that are needed stay', async () => {
  const forget = (...words: string[]) => runCommand(laptop.iris.world, ['cluster', 'forget', ...words], {})
  expect(await forget()).toMatchObject({ code: 2 })
  const asked = await forget('--unreachable')
  expect(asked.code).not.toBe(0)
  expect(asked.stdout).toMatch(/nothing here needs them: evil, forged0, /)
  expect(asked.stdout).toContain('attic stays: it shares the team shared.')
  expect(asked.stderr).toContain('Add --yes to confirm')
  expect((await forget('--unreachable', '--yes')).stdout).toContain('1000 hosts forgotten')
  const { hosts } = await status()
  expect(hosts.map(({ name }) => name).toSorted()).toEqual(['attic', 'studio'])
})
