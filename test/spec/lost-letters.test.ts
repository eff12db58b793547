import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { expect, test } from 'vitest'
import { NatsMailbox } from '../../src/features/cluster/nats/nats-mailbox.ts'
import { eventually } from '../support/eventually.ts'
import { NatsServer } from '../support/nats.ts'
import { scratchDirectory } from '../support/scratch.ts'

const text = 'A letter.'

/** The mailboxes of two hosts over connections of their own. `seen`: the turns of the letters that studio has handled. */
async function mailboxes(server: NatsServer) {
  const ends = new AsyncDisposableStack()
  const open = async (self: string) => {
    const connection = await connect({ servers: server.url })
    const mailbox = await NatsMailbox.open({ connection, self, replicas: 1, onTrouble: () => {} })
    ends.defer(async () => {
      mailbox.end()
      await connection.close()
    })
    return mailbox
  }
  const [laptop, studio] = [await open('laptop'), await open('studio')]
  const seen: string[] = []
  await studio.receive(async (_from, { turn }) => void seen.push(turn))
  const send = async (...turns: string[]) => {
    for (const turn of turns) await laptop.send('studio', { turn, kind: 'ask', text }, turn)
    await eventually(() => turns.every((turn) => seen.includes(turn)), `studio has ${turns}`)
  }
  return { send, seen, [Symbol.asyncDispose]: () => ends.disposeAsync() }
}

test('a server that lost letters, but not how far they were read, gives a host all later ones', async () => {
  await using server = await NatsServer.start()
  using scratch = scratchDirectory()
  const kept = join(scratch.path, 'msgs')
  const letters = server.lettersOf('studio')
  {
    await using hosts = await mailboxes(server)
    await hosts.send('a')
  }
  await server.kill()
  cpSync(letters, kept, { recursive: true })
  await server.start()
  {
    await using hosts = await mailboxes(server)
    await hosts.send('b', 'c', 'd')
  }
  // As after a loss of power, when the disk has the one and not the other.
  await server.kill()
  rmSync(letters, { recursive: true })
  cpSync(kept, letters, { recursive: true })
  await server.start()
  await using hosts = await mailboxes(server)
  await hosts.send('e', 'f')
  expect(hosts.seen).toEqual(['e', 'f'])
})
