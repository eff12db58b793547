import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type TurnTimes, timeLine, timesOf, treeTimeLine } from './time-line.ts'

const fresh: TurnTimes = {
  acceptedAt: 0,
  firstAt: null,
  deliveredAt: null,
  continuedAt: [],
  startedAt: null,
  settledAt: null,
  tools: [],
  permissions: [],
}
const tool = (startedAt: number, endedAt: number | null, forTeam = false) => ({ startedAt, endedAt, forTeam })

/** As `queue 0-10, model 10-50`. */
function told(turn: Partial<TurnTimes>, now = 1000): string {
  return timeLine({ ...fresh, ...turn }, now)
    .map(({ kind, from, to }) => `${kind} ${from}-${to}`)
    .join(', ')
}

const answered = { firstAt: 10, deliveredAt: 40, startedAt: 50, settledAt: 100 }

test.each<[string, Partial<TurnTimes>, string]>([
  ['that waits stands in its queue until now', {}, 'queue 0-1000'],
  ['that came first waits for a process', { firstAt: 10 }, 'queue 0-10, process 10-1000'],
  ['for which a process stood ready waited for nothing', { deliveredAt: 0, startedAt: 0 }, 'model 0-1000'],
  ['that was answered', answered, 'queue 0-10, process 10-50, model 50-100'],
  ['that was taken out of its queue', { settledAt: 30 }, 'queue 0-30'],
  ['that never began', { deliveredAt: 10, settledAt: 30 }, 'queue 0-10, process 10-30'],
  [
    'whose tool works',
    { ...answered, settledAt: null, tools: [tool(60, null)] },
    'queue 0-10, process 10-50, model 50-60, tool 60-1000',
  ],
  [
    'whose tools worked side by side: they count once',
    { ...answered, tools: [tool(60, 80), tool(65, 70), tool(75, 90)] },
    'queue 0-10, process 10-50, model 50-60, tool 60-90, model 90-100',
  ],
  [
    'that asked a team within a tool, and about whose tool a person was asked',
    { ...answered, tools: [tool(60, 90), tool(65, 70, true)], permissions: [{ askedAt: 80, decidedAt: 85 }] },
    'queue 0-10, process 10-50, model 50-60, tool 60-65, team 65-70, tool 70-80, person 80-85, tool 85-90, model 90-100',
  ],
  [
    'that waits for a person',
    { ...answered, settledAt: null, tools: [tool(60, null)], permissions: [{ askedAt: 70, decidedAt: null }] },
    'queue 0-10, process 10-50, model 50-60, tool 60-70, person 70-1000',
  ],
  [
    'that a crash of Iris cut off: nothing is known of the time before it went on',
    { ...answered, continuedAt: [70], startedAt: 75, tools: [tool(60, null)] },
    'queue 0-10, process 10-40, interrupted 40-70, process 70-75, model 75-100',
  ],
  [
    'whose process died while Iris lived: what was seen before counts as it was',
    { ...answered, continuedAt: [70], tools: [tool(52, 55), tool(60, null), tool(80, 85)] },
    'queue 0-10, process 10-50, interrupted 50-52, tool 52-55, interrupted 55-70, model 70-80, tool 80-85, model 85-100',
  ],
  [
    'that ended over a tool whose end nobody saw',
    { ...answered, tools: [tool(60, null)] },
    'queue 0-10, process 10-50, model 50-60, interrupted 60-100',
  ],
  [
    'whose times a jumping clock has put out of order still lies within its frame',
    { ...answered, settledAt: 60, tools: [tool(90, 20)], permissions: [{ askedAt: -5, decidedAt: 5 }] },
    'person 0-5, queue 5-10, process 10-50, model 50-60',
  ],
])('a turn %s', (_title, turn, line) => {
  expect(told(turn)).toBe(line)
})

const moment = fc.integer({ min: 0, max: 200 })
const maybe = fc.option(moment)
const anyTurn: fc.Arbitrary<TurnTimes> = fc.record({
  acceptedAt: moment,
  firstAt: maybe,
  deliveredAt: maybe,
  startedAt: maybe,
  settledAt: maybe,
  continuedAt: fc.array(moment, { maxLength: 3 }).map((times) => times.toSorted((a, b) => a - b)),
  tools: fc.array(fc.record({ startedAt: moment, endedAt: maybe, forTeam: fc.boolean() })),
  permissions: fc.array(fc.record({ askedAt: moment, decidedAt: maybe })),
})

test('a time line never overlaps itself and never leaves its frame, whatever the ledger says', () => {
  fc.assert(
    fc.property(anyTurn, (turn) => {
      const end = turn.settledAt ?? 200
      const line = timeLine(turn, 200)
      expect(line.every(({ from, to }, index) => from < to && from >= (line[index - 1]?.to ?? turn.acceptedAt))).toBe(
        true,
      )
      expect(line.every(({ to }) => to <= end)).toBe(true)
    }),
  )
})

describe('a tree', () => {
  const root = timeLine({ ...fresh, deliveredAt: 0, startedAt: 0, settledAt: 100, tools: [tool(10, 60, true)] }, 100)
  const asked = timeLine(
    { ...fresh, acceptedAt: 12, deliveredAt: 20, startedAt: 20, settledAt: 50, tools: [tool(30, 40)] },
    100,
  )
  const aside = timeLine({ ...fresh, acceptedAt: 5, deliveredAt: 5, startedAt: 5, settledAt: 400 }, 400)

  test('says of a wait for a team what that did, as long as it was waited for', () => {
    const line = treeTimeLine({ spans: root, asks: [{ spans: asked, asks: [] }] })
    expect(timesOf(line)).toEqual({
      queue: 8,
      process: 0,
      model: 10 + 10 + 10 + 40,
      tool: 10,
      team: 2 + 10,
      person: 0,
      interrupted: 0,
    })
  })

  test('counts what two teams did at once only once, and takes as long as its root', () => {
    const line = treeTimeLine({ spans: root, asks: [asked, aside].map((spans) => ({ spans, asks: [] })) })
    expect(Object.values(timesOf(line)).reduce((sum, ms) => sum + ms, 0)).toBe(100)
  })
})
