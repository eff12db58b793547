import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { NatsServer } from '../support/nats.ts'

// What belongs to one tree of asks over two hosts: who waits for whom, and what all of it may use. laptop has room for one
// process.
let server: NatsServer
let laptop: JoinedIris
let studio: JoinedIris

/** Asks on, and answers with what comes of it. */
function asksOn(when: string, toTeam: string, message = when) {
  const call = { name: 'send_message', arguments: { toTeam, message, timeout: 0 } }
  return { when, steps: [{ mcpCall: call }, { text: '{{lastToolResult}}' }] }
}

beforeAll(async () => {
  server = await NatsServer.start()
  laptop = await joinedIris(server, 'laptop', {
    teams: ['frontend', 'helper'],
    settings: { maxProcesses: 1 },
    script: {
      rules: [
        asksOn('go round', 'backend@studio'),
        asksOn('spend', 'backend@studio'),
        { steps: [{ text: 'Helped.' }] },
      ],
    },
  })
  studio = await joinedIris(server, 'studio', {
    teams: ['backend', 'api'],
    script: {
      rules: [asksOn('go round', 'helper@laptop', 'help'), asksOn('spend', 'api'), { steps: [{ text: 'Spent.' }] }],
    },
  })
  await offersTo(laptop.iris, 'backend@studio')
  await offersTo(studio.iris, 'helper@laptop')
})

afterAll(async () => {
  for (const each of [laptop, studio, server]) await each[Symbol.asyncDispose]()
})

test('asks of two hosts that wait for each other are found, and one of them is refused with the path', async () => {
  // helper@laptop waits for the only process, which waits for backend@studio, which waits for helper@laptop.
  const { status, response } = await ask(laptop.iris, 'frontend', 'go round')
  expect(status).toBe('completed')
  expect(response).toContain('would wait for itself')
  for (const label of ['external→frontend at laptop', 'frontend@laptop→backend at studio'])
    expect(response).toContain(label)
  const refused = `SELECT 1 FROM turns WHERE reason = 'refused' AND detail LIKE '%would wait for itself%'`
  expect(laptop.iris.rows(refused).length + studio.iris.rows(refused).length).toBe(1)
})

test('a budget of the first ask holds on the other host too, for all that the message causes there', async () => {
  const { status, response } = await ask(laptop.iris, 'frontend', 'spend', { budget: { turns: 2 } })
  expect(status).toBe('completed')
  expect(response).toContain('over_budget')
  const [row] = studio.iris.rows(`SELECT budget FROM turns ORDER BY sequence DESC LIMIT 1`)
  expect(JSON.parse(String(row?.['budget']))).toEqual({ turns: 1 })
})
