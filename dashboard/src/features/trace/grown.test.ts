import { expect, test } from 'vitest'
import type { SpanKind, TracedTurn } from '../../../../src/features/traces/contract.ts'
import { grown, type Trace } from './grown.ts'

const none = { queue: 0, process: 0, model: 0, tool: 0, team: 0, person: 0, interrupted: 0 }

function turn(
  turnId: string,
  parentTurnId: string | null,
  kind: SpanKind,
  settledAt: number | null = null,
): TracedTurn {
  const spans = [{ kind, from: 0, to: 100 }]
  return { turnId, parentTurnId, settledAt, spans, times: { ...none, [kind]: 100 } } as unknown as TracedTurn
}

function trace(...turns: TracedTurn[]): Trace {
  return { rootTurnId: 'root', timestamp: 100, times: { ...none, model: 100 }, turns } as unknown as Trace
}

test('what runs goes on as it was, and what the root waits for is what its time goes to', () => {
  const later = grown(
    trace(turn('root', null, 'team'), turn('done', 'root', 'tool', 90), turn('a', 'root', 'person')),
    400,
  )
  expect(later.turns.map(({ spans }) => spans)).toEqual([
    [{ kind: 'team', from: 0, to: 400 }],
    [{ kind: 'tool', from: 0, to: 100 }],
    [{ kind: 'person', from: 0, to: 400 }],
  ])
  expect(later.turns[2]?.times).toEqual({ ...none, person: 400 })
  expect(later.times).toEqual({ ...none, model: 100, person: 300 })
})

test('a root that waits for a team of which nothing is known waits for a team', () => {
  expect(grown(trace(turn('root', null, 'team')), 150).times).toEqual({ ...none, model: 100, team: 50 })
})

test('what has ended stays as it is, also under a clock that goes wrong', () => {
  const ended = trace(turn('root', null, 'model', 100))
  expect(grown(ended, 900)).toBe(ended)
  const running = trace(turn('root', null, 'model'))
  expect(grown(running, 50)).toBe(running)
})
