import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OtlpSpan, spansOf } from '../../src/features/traces/otlp/spans.ts'
import { SpanRows } from '../../src/features/traces/rows/span-rows.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { type JoinedIris, joinedIris, offersTo } from '../support/joined-iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { NatsServer } from '../support/nats.ts'

// What belongs to one tree of asks over two hosts: who waits for whom, and what all of it may use. laptop has room for one
// process.
let server: NatsServer
let laptop: JoinedIris
let studio: JoinedIris
const studiosClock = new JumpingClock()

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
        ...['use it up', 'for ever'].map((when) => asksOn(when, 'backend@studio')),
        asksOn('trace', 'backend@studio'),
        { steps: [{ text: 'Helped.' }] },
      ],
    },
  })
  studio = await joinedIris(server, 'studio', {
    teams: ['backend', 'api'],
    clock: studiosClock,
    script: {
      rules: [
        asksOn('go round', 'helper@laptop', 'help'),
        asksOn('spend', 'api'),
        { when: 'use it up', steps: [{ text: 'Long words. '.repeat(20_000) }] },
        { when: 'for ever', steps: [{ partial: 'Still at it.' }, { waitForFile: '/nowhere/never' }] },
        asksOn('trace', 'api'),
        { steps: [{ text: 'Spent.' }] },
      ],
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

function lastAt({ iris }: JoinedIris) {
  const [row] = iris.rows('SELECT budget, outcome FROM turns ORDER BY sequence DESC LIMIT 1')
  return { budget: JSON.parse(String(row?.['budget'])) as Record<string, number>, outcome: row?.['outcome'] }
}

test.each([
  ['tokens', 20_000],
  ['cost', 0.01],
])('%s that the other host uses count: the first ask ends when there are none left', async (limit, amount) => {
  const { status, reason, detail } = await ask(laptop.iris, 'frontend', 'use it up', { budget: { [limit]: amount } })
  expect({ status, reason }).toEqual({ status: 'failed', reason: 'over_budget' })
  expect(detail).toContain('with everything it causes')
  const { budget } = lastAt(studio)
  expect(budget[limit]).toBeGreaterThan(0)
  expect(budget[limit]).toBeLessThanOrEqual(amount)
})

test('time is counted on the other host too, which ends the message when there is none left', async () => {
  const message = { toTeam: 'frontend', message: 'for ever', timeout: -1, budget: { time: 100_000 } }
  const { turnId } = await callTool(laptop.iris, 'send_message', message)
  const newest = `SELECT id FROM turns WHERE id != '${String(turnId)}' ORDER BY sequence DESC LIMIT 1`
  await eventually(async () => {
    const [row] = laptop.iris.rows(newest)
    const nested = row && (await callTool(laptop.iris, 'message_status', { turnId: row['id'] }))
    return nested?.['partialResponse'] === 'Still at it.'
  }, 'studio is at work')
  await studiosClock.jump(100_000)
  const ended = await callTool(laptop.iris, 'message_status', { turnId, timeout: 0 })
  // Only the clock of studio has passed the time.
  expect(ended).toMatchObject({ status: 'completed', response: expect.stringContaining('over_budget') })
  expect(lastAt(studio).budget['time']).toBeLessThanOrEqual(100_000)
})

/** Traces are sent from here on; nobody takes them. */
async function sendsTraces({ iris }: JoinedIris, teams: readonly string[]): Promise<void> {
  iris.world.writeConfig({
    teams: Object.fromEntries(teams.map((team) => [team, {}])),
    insight: { tracesTo: 'http://127.0.0.1:9/v1/traces' },
  })
  await iris.event('config-reloaded')
}

/** The spans of this host's last turns, the first turn first. */
function spansAt({ iris }: JoinedIris, count: number): readonly OtlpSpan[] {
  using rows = new SpanRows(join(iris.world.home, 'data/team-sessions.db'))
  const ids = iris.rows(`SELECT id FROM turns ORDER BY sequence DESC LIMIT ${count}`).map(({ id }) => String(id))
  return ids.reverse().flatMap((id) => spansOf(rows.turn(id)!, rows.tools(id, 100), []))
}

test('asks over two hosts are one trace: the spans of each host are below those of the asker', async () => {
  await sendsTraces(laptop, ['frontend', 'helper'])
  await sendsTraces(studio, ['backend', 'api'])
  const { status, turnId } = await ask(laptop.iris, 'frontend', 'trace')
  expect(status).toBe('completed')
  const [here, there] = [spansAt(laptop, 2), spansAt(studio, 2)]
  const all = [...here, ...there]
  expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([turnId.replaceAll('-', '')]))
  expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(all.length)
  const named = (spans: readonly OtlpSpan[], name: string) => spans.find((span) => span.name === name)!
  const asked = named(here, 'invoke_agent backend@studio')
  const answered = named(there, 'invoke_agent backend')
  expect(asked.parentSpanId).toBe(named(here, 'execute_tool mcp__iris__send_message').spanId)
  expect(answered.parentSpanId).toBe(asked.spanId)
  const tool = named(there, 'execute_tool mcp__iris__send_message')
  expect(tool.parentSpanId).toBe(answered.spanId)
  expect(named(there, 'invoke_agent api').parentSpanId).toBe(tool.spanId)
})
