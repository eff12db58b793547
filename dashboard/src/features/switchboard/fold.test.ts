import { expect, test } from 'vitest'
import type { Edge } from './edges.ts'
import { folded, restName } from './fold.ts'
import type { Participant } from './participants.ts'

const participant = (name: string): Participant => ({
  name,
  kind: 'team',
  team: undefined,
  awake: 1,
  working: 0,
  queue: 1,
})
const edge = (from: string, to: string, lastDay: number): Edge => ({
  from,
  to,
  lastDay,
  lastHour: 0,
  lastAt: 0,
  isNow: false,
  queue: 0,
  standing: 'idle',
})
const names = Array.from({ length: 40 }, (_, index) => `team-${index}`)

test('up to fifteen participants are all shown', () => {
  const participants = names.slice(0, 15).map(participant)
  expect(folded(participants, [], undefined)).toEqual({ participants, edges: [], hidden: [] })
})

test('of more the busiest and the chosen one are shown, and one node has the edges of the rest', () => {
  const edges = names.slice(1).map((name, index) => edge('team-0', name, index))
  const { participants, edges: shown, hidden } = folded(names.map(participant), edges, 'team-2')
  expect(participants).toHaveLength(15)
  expect(participants.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['team-0', 'team-39', 'team-2', restName]),
  )
  expect(participants.at(-1)).toMatchObject({ count: 26, awake: 26, queue: 26 })
  expect(hidden).toHaveLength(26)
  const rest = shown.find(({ to }) => to === restName)!
  const all = edges.reduce((sum, { lastDay }) => sum + lastDay, 0)
  expect(shown.reduce((sum, { lastDay }) => sum + lastDay, 0)).toBe(all)
  expect(rest.lastDay).toBeGreaterThan(0)
})
