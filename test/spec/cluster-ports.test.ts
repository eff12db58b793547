import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NatsDirectory } from '../../src/features/cluster/nats/nats-directory.ts'
import { NatsLogs } from '../../src/features/cluster/nats/nats-logs.ts'
import { NatsMailbox } from '../../src/features/cluster/nats/nats-mailbox.ts'
import type { Letter, Network } from '../../src/features/cluster/ports.ts'
import { eventually } from '../support/eventually.ts'
import { MemoryServer } from '../support/memory-network.ts'
import { NatsServer } from '../support/nats.ts'

// The promises of the ports between hosts, tested for each implementation.
interface Form {
  readonly networkOf: (host: string) => Promise<Network>
  readonly end: () => Promise<void>
}

async function nats(): Promise<Form> {
  const ends = new AsyncDisposableStack()
  const server = ends.use(await NatsServer.start())
  return {
    async networkOf(host) {
      const connection = await connect({ servers: server.url })
      const mailbox = await NatsMailbox.open({ connection, self: host, replicas: 1, onTrouble: () => {} })
      ends.defer(async () => {
        mailbox.end()
        await connection.close()
      })
      const directory = await NatsDirectory.open(connection, host, 1)
      return { mailbox, directory, logs: new NatsLogs(connection, 1), isKeeper: () => false }
    },
    end: () => ends.disposeAsync(),
  }
}

async function memory(): Promise<Form> {
  const server = new MemoryServer()
  return { networkOf: async (host) => server.networkOf(host), end: async () => {} }
}

const entry = (version: string): string => JSON.stringify({ version })
const letter = (turn: string, text: string): Letter => ({ turn, kind: 'ask', text })

describe.each([
  ['NATS', nats],
  ['memory', memory],
])('the ports between hosts, in %s', (_name, make) => {
  let form: Form
  let laptop: Network
  let studio: Network
  beforeAll(async () => {
    form = await make()
    laptop = await form.networkOf('laptop')
    studio = await form.networkOf('studio')
  })
  afterAll(() => form.end())

  test('the directory: announcements are seen, by who watches then, by who comes later, and by the host itself', async () => {
    const [early, late] = [new Map<string, string>(), new Map<string, string>()]
    expect(await studio.directory.own()).toBeUndefined()
    await laptop.directory.watch((host, text) => early.set(host, text))
    await studio.directory.announce(entry('1'))
    await studio.directory.announce(entry('2'))
    await eventually(() => early.get('studio')?.includes('"2"'), 'the last one is seen')
    await studio.directory.watch((host, text) => late.set(host, text))
    await eventually(() => late.get('studio')?.includes('"2"'), 'it is there for who comes later')
    expect([await studio.directory.own(), await laptop.directory.own()]).toEqual([entry('2'), undefined])
    expect([...early.keys()]).toEqual(['studio'])
  })

  test('the mailbox: a letter waits for its host, a newer one takes its place, and it comes until it is handled', async () => {
    await laptop.mailbox.send('studio', letter('a', 'old'), 'a1')
    await laptop.mailbox.send('studio', letter('a', 'new'), 'a2')
    // The same id again is kept once.
    await laptop.mailbox.send('studio', letter('b', 'first'), 'b1')
    await laptop.mailbox.send('studio', letter('b', 'second'), 'b1')
    const seen: string[] = []
    let isDown = true
    await studio.mailbox.receive(async (from, { turn, kind, text }) => {
      seen.push([from, turn, kind, text].join(' '))
      if (isDown && turn === 'a') {
        isDown = false
        throw new Error('not now')
      }
    })
    await eventually(() => seen.length === 3, 'both have come, one of them twice')
    await laptop.mailbox.send('studio', letter('c', 'last'), 'c1')
    await eventually(() => seen.length === 4, 'the last one has come')
    expect(seen.toSorted()).toEqual(['laptop a ask new', 'laptop a ask new', 'laptop b ask first', 'laptop c ask last'])
  })

  test('a log: a record is added only behind the last one its writer knows, and each conversation has its own', async () => {
    const [one, two] = [Buffer.from('one'), Buffer.from('two')]
    const first = await laptop.logs.append('team', 'c', one, 0)
    expect(first).toBeGreaterThan(0)
    // Studio does not know of it, as a host that was away.
    expect(await studio.logs.append('team', 'c', two, 0)).toBeUndefined()
    expect(await studio.logs.append('team', 'd', two, 0)).toBeGreaterThan(0)
    const second = await studio.logs.append('team', 'c', two, first!)
    expect(await laptop.logs.append('team', 'c', one, first!)).toBeUndefined()
    const texts = async (after: number) =>
      (await laptop.logs.read('team', 'c', after)).map(({ number, bytes }) => [number, Buffer.from(bytes).toString()])
    expect(await texts(0)).toEqual([
      [first, 'one'],
      [second, 'two'],
    ])
    expect(await texts(first!)).toEqual([[second, 'two']])
    expect(await texts(second!)).toEqual([])
  })
})
