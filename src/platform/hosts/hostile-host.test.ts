import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { type Scripted, scriptedShell } from '../../../test/support/scripted-shell.ts'
import type { Command } from '../machine/child.ts'
import type { Link, RemoteChild } from './host.ts'
import type { HostError } from './host-error.ts'
import { SupervisedPrograms } from './supervised-programs.ts'

const command: Command = { executable: '/bin/cat', args: [], cwd: '/', env: {} }
const options = { run: 'run-1', tag: 'iris.1', session: 'session-1', graceMs: 60_000 }

/** Programs on a host; the test plays every connection to it. */
function hostile(isReachable: (count: number) => boolean = () => true) {
  const clock = new FakeClock()
  const connections: Scripted[] = []
  const shell = scriptedShell((host, count) => {
    if (!isReachable(count)) throw new Error('no route to host')
    connections.push(host)
  })
  let ids = 0
  const programs = new SupervisedPrograms({ shell, clock, newId: () => `nonce-${ids++}` })
  const settle = (): Promise<void> => clock.advance(0)
  /** The host answers on its latest connection. */
  const answer = async (...lines: string[]): Promise<Scripted> => {
    const host = connections.at(-1)!
    for (const line of lines) {
      await settle()
      host.say(`${host.nonce()} ${line}\n`)
    }
    await settle()
    return host
  }
  return { clock, connections, programs, settle, answer }
}

async function started(world: ReturnType<typeof hostile>): Promise<{ child: RemoteChild; faults: HostError[] }> {
  const starting = world.programs.start(command, options)
  const host = await world.answer('ready setsid tail 4096', 'out 0')
  host.status(`=iris at ${host.nonce()} 0 4711\n`)
  const child = await starting
  const faults: HostError[] = []
  child.errors$.subscribe((error) => faults.push(error as HostError))
  child.read(() => undefined)
  return { child, faults }
}

function kindOf(refused: Promise<unknown>): Promise<string> {
  return refused.then(
    () => 'done',
    (error: HostError) => error.kind,
  )
}

test('a shell that never answers is given up after its time', async () => {
  const { programs, clock } = hostile()
  const starting = programs.start(command, options)
  const failed = kindOf(starting)

  await clock.advance(30_000)

  expect(await failed).toBe('no_shell')
})

test('what a login says before is skipped, and a flood of it drops the link', async () => {
  const world = hostile()
  const listing = world.programs.runs()
  await world.settle()
  world.connections[0]!.say('Welcome!\nnonce-1 end\n')
  await world.answer('ready setsid tail 4096', 'end')
  expect(await listing).toEqual([])

  const flooded = kindOf(world.programs.runs())
  await world.settle()
  for (let sent = 0; sent < 10; sent += 1) world.connections[1]!.say(Buffer.alloc(64 * 1024, 'x'))
  expect(await flooded).toBe('protocol')
  expect(world.connections[1]!.isDropped).toBe(true)
})

test('a list of runs without an end is refused', async () => {
  const world = hostile()
  const listing = kindOf(world.programs.runs())
  const host = await world.answer('ready setsid tail 4096')
  const line = `${host.nonce()} run a b c 1 alive 0 0 - - - -\n`

  host.say(line.repeat(10_001))

  expect(await listing).toBe('protocol')
  expect(host.isDropped).toBe(true)
})

test.each([
  ['takes more input than it was sent', '=iris got 7\n'],
  ['takes input that is no number', '=iris got x\n'],
  ['ends with a code that cannot be', '=iris exit 0;rm 0 ended 1\n'],
  ['ends for a reason that is none', '=iris exit 0 0 because 1\n'],
])('a host that %s loses the link, and is asked again', async (_, lie) => {
  const world = hostile()
  const { child, faults } = await started(world)

  world.connections[0]!.status(lie)
  await world.settle()

  expect(faults.map(({ kind }) => kind)).toEqual(['protocol'])
  expect(world.connections[0]!.isDropped).toBe(true)
  expect(child.link.kind).toBe('lost')
  expect(world.connections).toHaveLength(2)
})

test('a host that attaches at another offset than it was asked for gives no byte', async () => {
  const world = hostile()
  const { child } = await started(world)
  const chunks: string[] = []
  child.read((chunk) => {
    chunks.push(chunk.toString('utf8'))
    return undefined
  })
  world.connections[0]!.say('first')
  world.connections[0]!.end()
  await world.settle()
  const lying = await world.answer('ready setsid tail 4096', 'out 3 14 - - -')
  lying.say('st and more')
  await world.settle()

  expect(chunks).toEqual(['first'])
  expect(lying.isDropped).toBe(true)
  expect(lying.written.at(-1)).toBe('attach run-1 5\n')
})

test('half lines of status and lines of nobody change nothing', async () => {
  const world = hostile()
  const { child, faults } = await started(world)
  const [host] = world.connections
  host!.status('debug1: client_input\n=iris g')
  host!.status('ot 0\n')
  host!.status(`${'y'.repeat(100_000)}\n=iris unheard of\n`)
  await world.settle()

  expect(faults).toEqual([])
  expect(child.link.kind).toBe('connected')
})

test('a host that stays silent loses the link after three heartbeats, unless Iris itself has stopped reading', async () => {
  const world = hostile()
  const { child } = await started(world)
  await world.clock.advance(14_000)
  world.connections[0]!.status('=iris p 2\n')
  await world.clock.advance(14_000)
  expect(child.link.kind).toBe('connected')

  await world.clock.advance(10_000)
  expect(child.link).toMatchObject({ kind: 'lost', why: 'the host said nothing for 15 s' })
})

test('the states of a link: lost with its attempts and reason, tried with growing pauses, restored at the byte it lost', async () => {
  let isReachable = true
  const world = hostile(() => isReachable)
  const { child } = await started(world)
  const links: Link[] = []
  child.link$.subscribe((link) => links.push(link))
  world.connections[0]!.say('12345')
  isReachable = false
  world.connections[0]!.end()
  await world.clock.advance(60_000)

  expect(links.slice(0, 2).map(({ kind }) => kind)).toEqual(['connected', 'lost'])
  expect(links.at(-1)).toMatchObject({ kind: 'lost', since: 0, why: 'no route to host' })
  const { attempts } = links.at(-1) as Extract<Link, { kind: 'lost' }>
  expect(attempts).toBeGreaterThan(50)
  expect(attempts).toBeLessThan(70)

  isReachable = true
  await world.clock.advance(1000)
  const back = await world.answer('ready setsid tail 4096', 'out 5 9 - - -')
  expect(back.written.at(-1)).toBe('attach run-1 5\n')
  expect(links.at(-1)).toMatchObject({ kind: 'connected' })
})

test('another Iris that takes a program over is said, and this one lets go of it', async () => {
  const world = hostile()
  const { child, faults } = await started(world)
  world.connections[0]!.status('=iris at somebody-else 0 4711\n')
  await world.settle()

  expect(faults.map(({ kind }) => kind)).toEqual(['taken_over'])
  expect(child.link.kind).toBe('closed')
  expect(world.connections).toHaveLength(1)
})

test('a start whose answer is lost is sent again with the same name, and buried when the link stays away', async () => {
  let isReachable = true
  const world = hostile(() => isReachable)
  const starting = world.programs.start(command, options)
  const failed = kindOf(starting)
  const first = await world.answer('ready setsid tail 4096')
  first.end()
  await world.clock.advance(500)
  const second = await world.answer('ready setsid tail 4096')
  expect(second.written.at(-1)).toBe(first.written.at(-1))
  expect(second.written.at(-1)).toMatch(/^start run-1 iris\.1 session-1 60 /)
  isReachable = false
  second.end()
  await world.clock.advance(70_000)
  expect(await failed).toBe('link_lost')

  isReachable = true
  await world.clock.advance(60_000)
  const last = await world.answer('ready setsid tail 4096')
  expect(last.written.at(-1)).toBe('bury run-1\n')
})
