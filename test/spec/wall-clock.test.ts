import { expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import type { Script } from '../support/fake-claude.ts'
import { asOwner } from '../support/owner.ts'
import { Stage } from '../support/stage.ts'

const dayMs = 86_400_000
const gated = (file: (name: string) => string): Script => ({
  flushDelayMs: 0,
  rules: [
    {
      steps: [
        { partial: 'hm' },
        { tool: { name: 'Read', during: [{ touchFile: file('began') }, { waitForFile: file('gate') }] } },
        { text: 'done' },
      ],
    },
  ],
})

/** Every number in it that is a length of time, or a moment of which the next must not be earlier. */
async function shown(stage: Stage, turnId: string) {
  const status = await stage.status(turnId)
  const trace = await asOwner(stage.iris, 'trace_turn', { turnId })
  const { turns } = trace as { turns: { spans: { from: number; to: number }[]; times: Record<string, number> }[] }
  const [turn] = turns
  const lengths = [
    Number(status.durationMs),
    Number(status.queuedMs),
    ...turn!.spans.map(({ from, to }) => to - from),
    ...Object.values(turn!.times).filter((value) => typeof value === 'number'),
  ]
  return { lengths }
}

/** No test takes so long, and nothing takes less than no time. */
const isOdd = (ms: number): boolean => ms < 0 || ms > dayMs

test.each([
  ['back by two days', -2 * dayMs],
  ['forward by two days', 2 * dayMs],
])('a wall clock that is set %s while a message is worked on changes no duration', async (_, ms) => {
  await using stage = await Stage.start({ script: gated })
  const { iris, fake, clock } = stage
  const asked = ask(iris, 'backend', 'hello')
  const turnId = await stage.said('hm')
  clock.wallAhead = ms
  const during = await shown(stage, turnId)
  expect(during.lengths.filter(isOdd)).toEqual([])
  fake.open('gate')
  expect(await asked).toMatchObject({ status: 'completed' })
  const { lengths } = await shown(stage, turnId)
  expect(lengths.filter(isOdd)).toEqual([])
  const { uptimeMs } = await asOwner(iris, 'get_health')
  expect([uptimeMs].map(Number).filter(isOdd)).toEqual([])
  const [row] = iris.rows('SELECT settled_at - accepted_at AS ms, dispatched_at - accepted_at AS waited FROM turns')
  expect(Object.values(row!).map(Number).filter(isOdd)).toEqual([])
})

test('one that was set back while Iris did not run: what passed counts as no time, and the log says so', async () => {
  await using stage = await Stage.start({ script: gated, settings: { logLevel: 'warn' } })
  const { iris, fake, clock } = stage
  const asked = ask(iris, 'backend', 'hello').catch((error: unknown) => error)
  const turnId = await stage.said('hm')
  await iris.daemon.stop(0)
  clock.wallAhead = -2 * dayMs
  await iris.restart()
  await asked
  fake.open('gate')
  expect(JSON.stringify(await asOwner(iris, 'get_logs'))).toContain('the clock of this machine has gone back')
  expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed' })
  const { lengths } = await shown(stage, turnId)
  expect(lengths.filter(isOdd)).toEqual([])
})
