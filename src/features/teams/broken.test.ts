import { expect, test } from 'vitest'
import { brokenMachines } from './broken.ts'

type Parts = Parameters<typeof brokenMachines>[0]

/** Three teams, two of them on one other machine. */
function found(linkOf: (name: string) => object | undefined) {
  const team = (name: string, remote?: string) => [name, { name, path: '/x', ...(remote && { remote }) }] as const
  const teams = new Map([team('here'), team('one', 'ssh studio'), team('two', 'ssh studio')])
  return brokenMachines({ config: () => ({ teams }), machines: { linkOf } } as unknown as Parts)
}

test('where all machines are reached nothing is broken', () => {
  expect(found(() => undefined)).toEqual([])
  expect(found(() => ({ state: 'reached' }))).toEqual([])
})

test('a machine is named once, with its teams and the earliest time', () => {
  const [machine, ...others] = found((name) =>
    name === 'here' ? undefined : { state: 'unreachable', since: name === 'one' ? 7 : 9, why: 'refused by 10.0.0.1' },
  )
  expect(others).toEqual([])
  expect(machine).toMatchObject({ kind: 'machine', teams: ['one', 'two'], since: 7 })
  expect(machine!.what).toBe('The machine studio cannot be reached.')
  // Programs read this too, and the reason names the way to the machine.
  expect(JSON.stringify(machine)).not.toContain('10.0.0.1')
})
