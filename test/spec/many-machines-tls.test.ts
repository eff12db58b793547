import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'
import { asOwner } from '../support/owner.ts'
import { runCommand } from '../support/run-command.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { selfSigned } from '../support/self-signed.ts'
import { createWorld, type World } from '../support/world.ts'

let ends: AsyncDisposableStack
afterEach(() => ends.disposeAsync())

async function iris(world: World, cwd: string, ...words: string[]): Promise<string> {
  const { stdout, stderr } = await runCommand(world, words, { cwd })
  return stdout + stderr
}

async function linked(host: JoinedIris, state: string, why = ''): Promise<void> {
  await eventually(async () => {
    const { link } = (await asOwner(host.iris, 'cluster_status')) as { link: { state: string; why?: string } }
    return link.state === state && (link.why ?? '').includes(why)
  }, `the link is ${state} ${why}`)
}

/** A server that encrypts, and what `cluster` of config.yaml needs for it. */
async function encrypting(path: string) {
  const { key, cert } = selfSigned('localhost')
  const [keyFile, ca] = [join(path, 'key.pem'), join(path, 'cert.pem')]
  writeFileSync(keyFile, key, { mode: 0o600 })
  writeFileSync(ca, cert)
  const server = ends.use(await NatsServer.start(`tls { cert_file: "${ca}", key_file: "${keyFile}" }`))
  return { server, cert, servers: `tls://localhost:${server.port}`, ca }
}

test('with tls:// hosts that know the certificate ask each other, and others trust the server with nothing', async () => {
  ends = new AsyncDisposableStack()
  const { server, servers, ca } = await encrypting(ends.use(scratchDirectory()).path)
  const laptop = ends.use(await joinedIris(server, 'laptop', { teams: ['frontend'], cluster: { servers, ca } }))
  ends.use(await joinedIris(server, 'studio', { teams: ['backend'], cluster: { servers, ca } }))
  await offersTo(laptop.iris, 'backend@studio')
  expect(await ask(laptop.iris, 'backend@studio', 'Hello')).toMatchObject({ status: 'completed' })
  const stranger = ends.use(await joinedIris(server, 'stranger', { teams: ['attic'], cluster: { servers } }))
  await linked(stranger, 'unreachable', 'self-signed certificate')
})

test('hosts of two accounts of one server do not see each other', async () => {
  ends = new AsyncDisposableStack()
  const { path } = ends.use(scratchDirectory())
  const users = (...names: string[]): string => names.map((name) => `{ user: ${name}, password: secret }`).join(', ')
  const account = (...names: string[]): string => `{ jetstream: enabled, users: [ ${users(...names)} ] }`
  const accounts = `OFFICE: ${account('laptop', 'studio')}, HOME: ${account('attic')}`
  const server = ends.use(await NatsServer.start(`accounts { ${accounts} }`))
  const host = async (name: string) => {
    const credentials = join(path, name)
    writeFileSync(credentials, `${name}:secret\n`, { mode: 0o600 })
    return ends.use(await joinedIris(server, name, { teams: [`team-of-${name}`], cluster: { credentials } }))
  }
  const [laptop, attic] = [await host('laptop'), await host('attic')]
  // A user with all rights of its account is its administrator too.
  for (const [name, { iris: keeper }] of Object.entries({ laptop, attic }))
    await iris(keeper.world, path, 'cluster', 'init', '--credentials', join(path, name), '--hosts', 'studio')
  await linked(attic, 'connected')
  await host('studio')
  await offersTo(laptop.iris, 'team-of-studio@studio')
  expect(await asOwner(laptop.iris, 'cluster_status')).toMatchObject({ hosts: [{ name: 'studio' }] })
  expect(await asOwner(attic.iris, 'cluster_status')).toMatchObject({ hosts: [] })
})

test('an invitation takes the certificate along', async () => {
  ends = new AsyncDisposableStack()
  const { path } = ends.use(scratchDirectory())
  const { cert } = selfSigned('localhost')
  const ca = join(path, 'cert.pem')
  writeFileSync(ca, cert)
  const cluster = { servers: 'tls://nats.example.org:4222', name: 'studio', ca }
  await using studio = await createWorld({ claude: 'fake', teams: ['backend'], cluster })
  await using tower = await createWorld({ claude: 'fake', teams: ['mobile'] })
  await iris(studio, path, 'cluster', 'invite', 'tower')
  await iris(tower, path, 'cluster', 'join', join(path, 'tower.iris-invite'))
  const kept = join(tower.home, 'cluster-ca.pem')
  expect(readFileSync(kept, 'utf8')).toBe(cert)
  expect(readFileSync(join(tower.home, 'config.yaml'), 'utf8')).toContain(`ca: ${kept}`)
})

test('with tls:// a server that does not encrypt gets nothing, also not the password', async () => {
  ends = new AsyncDisposableStack()
  const { path } = ends.use(scratchDirectory())
  let heard = ''
  const between = createServer((socket) => {
    socket.on('data', (bytes) => {
      heard += bytes.toString()
    })
    socket.on('error', () => {})
    socket.write('INFO {"server_id":"x","version":"2.11.0","proto":1,"jetstream":true,"max_payload":1048576}\r\n')
  })
  await new Promise<void>((resolve) => {
    between.listen(0, '127.0.0.1', resolve)
  })
  ends.defer(() => void between.close())
  const credentials = join(path, 'password')
  writeFileSync(credentials, 'lonely:the password\n', { mode: 0o600 })
  const servers = `tls://localhost:${(between.address() as AddressInfo).port}`
  const unused = ends.use(await NatsServer.start())
  const lonely = ends.use(
    await joinedIris(unused, 'lonely', { teams: ['frontend'], cluster: { servers, credentials } }),
  )
  await linked(lonely, 'unreachable', 'tls')
  // A client of another test may look for its server here, which had this port before: it has no such name.
  expect(heard).not.toMatch(/lonely|the password/)
  const { findings } = JSON.parse(await iris(lonely.iris.world, path, 'doctor', '--json')) as {
    findings: Record<string, string>[]
  }
  const said = findings.filter(({ check }) => check === 'cluster').map(({ detail }) => detail)
  expect(said).toContainEqual(expect.stringContaining('does not encrypt'))
})
