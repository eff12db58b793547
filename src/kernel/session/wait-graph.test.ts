import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type WaitFacts, type WaitingTurn, waitsForItself } from './wait-graph.ts'

type Given = Partial<Omit<WaitingTurn, 'id' | 'label'>>

/** Turns by their ids; each is labelled by its id. */
function facts(given: Readonly<Record<string, Given>>, hasRoom = true): WaitFacts {
  const turns = Object.entries(given).map(([id, more]): [string, WaitingTurn] => [
    id,
    { id, label: id, behind: undefined, awaits: [], needsProcess: false, holdsProcess: false, ...more },
  ])
  return { turns: new Map(turns), hasRoom }
}

const works = { holdsProcess: true }
const starts = { needsProcess: true }

describe('can end', () => {
  test.each<[string, Record<string, Given>, boolean?]>([
    ['a turn that waits for nobody', { a: works }],
    ['one behind another', { a: { behind: 'b' }, b: works }],
    ['a chain of asks', { a: { ...works, awaits: ['b'] }, b: { ...works, awaits: ['c'] }, c: works }],
    ['one that awaits several', { a: { ...works, awaits: ['b', 'c'] }, b: works, c: { behind: 'b' } }],
    ['one that awaits what has ended', { a: { ...works, awaits: ['gone'] } }],
    ['one behind what has ended', { a: { behind: 'gone', needsProcess: true } }],
    ['one that needs a process while there is room', { a: { ...works, awaits: ['b'] }, b: starts }],
    ['one that needs a process that another will let go', { a: starts, b: works }, false],
    ['one whose ask waits for a stranger to let go', { a: { ...works, awaits: ['b'] }, b: starts, c: works }, false],
    ['one beside a ring', { a: works, x: { ...works, awaits: ['y'] }, y: { ...works, awaits: ['x'] } }],
  ])('%s', (_, turns, hasRoom) => {
    expect(waitsForItself('a', facts(turns, hasRoom))).toBeUndefined()
  })
})

describe('would wait for itself, and the ring is named', () => {
  test.each<[string, Record<string, Given>, boolean, string[]]>([
    ['one that awaits itself', { a: { ...works, awaits: ['a'] } }, true, ['a', 'a']],
    [
      'two that ask each other',
      { a: { ...works, awaits: ['b'] }, b: { ...works, awaits: ['a'] } },
      true,
      ['a', 'b', 'a'],
    ],
    ['one that asks its own queue', { a: { ...works, awaits: ['b'] }, b: { behind: 'a' } }, true, ['a', 'b', 'a']],
    [
      'two pairs that ask into each other’s queue',
      {
        a: { ...works, awaits: ['a2'] },
        b: { ...works, awaits: ['b2'] },
        a2: { behind: 'b' },
        b2: { behind: 'a' },
      },
      true,
      ['a', 'a2', 'b', 'b2', 'a'],
    ],
    ['a pool full of its own ancestors', { a: { ...works, awaits: ['b'] }, b: starts }, false, ['a', 'b', 'a']],
    [
      'a pool full of a whole chain of ancestors',
      { a: { ...works, awaits: ['b'] }, b: { ...works, awaits: ['c'] }, c: starts },
      false,
      ['a', 'b', 'c', 'a'],
    ],
    [
      'two that ask each other, though others end meanwhile',
      { a: { ...works, awaits: ['b', 'c'] }, b: { ...works, awaits: ['a'] }, c: works },
      true,
      ['a', 'b', 'a'],
    ],
    ['one that only leads into a ring', { a: { behind: 'x' }, x: { ...works, awaits: ['x'] } }, true, ['x', 'x']],
  ])('%s', (_, turns, hasRoom, ring) => {
    expect(waitsForItself('a', facts(turns, hasRoom))).toEqual(ring)
  })
})

/** Small worlds of turns that randomly wait for each other; some of the ids belong to ended turns. */
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'gone')
const turn: fc.Arbitrary<Given> = fc.record({
  behind: fc.option(id, { nil: undefined }),
  awaits: fc.array(id, { maxLength: 2 }),
  needsProcess: fc.boolean(),
  holdsProcess: fc.boolean(),
})
const world = fc.record({ a: turn, b: turn, c: turn, d: turn, e: turn })

test('what is named begins and ends in one place, and each step waits for the next', () => {
  fc.assert(
    fc.property(world, fc.boolean(), (turns, hasRoom) => {
      fc.pre(hasRoom || Object.values(turns).some(({ holdsProcess }) => holdsProcess))
      const ring = waitsForItself('a', facts(turns, hasRoom))
      if (ring === undefined) return
      expect(ring.at(-1)).toBe(ring[0])
      for (const [index, waiting] of ring.slice(0, -1).entries()) {
        const { behind, awaits = [], needsProcess } = turns[waiting as keyof typeof turns]
        const next = ring[index + 1]!
        const holds = turns[next as keyof typeof turns].holdsProcess
        expect(behind === next || awaits.includes(next) || (needsProcess && !hasRoom && holds)).toBe(true)
      }
    }),
  )
})

test('room in the pool, or one wait less, never makes a turn stuck', () => {
  fc.assert(
    fc.property(world, fc.boolean(), (turns, hasRoom) => {
      if (waitsForItself('a', facts(turns, hasRoom)) !== undefined) return
      expect(waitsForItself('a', facts(turns, true))).toBeUndefined()
      const patient = { ...turns, b: { ...turns.b, awaits: [] } }
      expect(waitsForItself('a', facts(patient, hasRoom))).toBeUndefined()
    }),
  )
})
