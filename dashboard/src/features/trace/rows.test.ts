import { expect, test } from 'vitest'
import type { TracedTool, TracedTurn } from '../../../../src/features/traces/contract.ts'
import { endOf, packed, rowsOf } from './rows.ts'

const turn = (turnId: string, parentTurnId: string | null) => ({ turnId, parentTurnId }) as TracedTurn
const tool = (name: string, from: number, to: number) => ({ tool: { name } as TracedTool, from, to })

test('each turn stands below the one that asked, one step further in', () => {
  const turns = [turn('root', null), turn('a', 'root'), turn('b', 'root'), turn('a1', 'a'), turn('b1', 'b')]
  expect(rowsOf(turns).map(({ turn: { turnId }, depth }) => `${depth} ${turnId}`)).toEqual([
    '0 root',
    '1 a',
    '2 a1',
    '1 b',
    '2 b1',
  ])
})

test('a turn whose asker is on another page begins a tree of its own', () => {
  expect(rowsOf([turn('x', 'elsewhere'), turn('y', 'x')]).map(({ depth }) => depth)).toEqual([0, 1])
})

test('tools that worked side by side get lines of their own, others share one', () => {
  const lines = packed([tool('Read', 0, 10), tool('Bash', 5, 20), tool('Edit', 10, 12), tool('Grep', 11, 30)])
  expect(lines.map((line) => line.map((each) => each.tool.name))).toEqual([['Read', 'Edit'], ['Bash'], ['Grep']])
})

test('a tool ends when its result came; one that was cut off worked until it was given to Claude again at the most', () => {
  const continued = { continuedAt: [40, 80] } as unknown as TracedTurn
  const of = (rest: object) => ({ startedAt: 50, endedAt: null, state: 'running', ...rest }) as TracedTool
  expect(endOf(of({ endedAt: 60, state: 'ended' }), continued, 100)).toBe(60)
  expect(endOf(of({}), continued, 100)).toBe(100)
  expect(endOf(of({ state: 'cut_off' }), continued, 100)).toBe(80)
  expect(endOf(of({ state: 'cut_off' }), { continuedAt: [] } as unknown as TracedTurn, 100)).toBe(100)
})
