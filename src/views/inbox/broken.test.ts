import { expect, test } from 'vitest'
import { brokenNow } from './broken.ts'

type Parts = Parameters<typeof brokenNow>[0]

/** Three teams, two of them on one other machine, and a channel. */
function parts(more: object = {}): Parts {
  const team = (name: string, remote?: string) => [name, { name, path: '/x', ...(remote && { remote }) }] as const
  const teams = new Map([team('here'), team('one', 'ssh studio'), team('two', 'ssh studio')])
  const channels = new Map([['tg', { name: 'tg', team: 'here' }]])
  return {
    config: () => ({ teams, channels }),
    machines: { linkOf: () => undefined },
    accountLimits: { accounts: () => [] },
    configProblem: () => undefined,
    channels: { stateOf: () => ({ state: 'connected' }) },
    ...more,
  } as never
}

test('where everything works nothing is broken; a channel that comes back by itself is not', () => {
  expect(brokenNow(parts())).toEqual([])
  expect(brokenNow(parts({ channels: { stateOf: () => ({ state: 'retrying', why: 'away' }) } }))).toEqual([])
})

test('a machine is named once, with its teams and the earliest time', () => {
  const linkOf = (name: string) =>
    name === 'here' ? undefined : { state: 'unreachable', since: name === 'one' ? 7 : 9, why: 'refused by 10.0.0.1' }
  const [machine, ...others] = brokenNow(parts({ machines: { linkOf } }))
  expect(others).toEqual([])
  expect(machine).toMatchObject({ kind: 'machine', teams: ['one', 'two'], since: 7 })
  expect(machine!.what).toBe('The machine studio cannot be reached.')
  // Programs read this too, and the reason names the way to the machine.
  expect(JSON.stringify(machine)).not.toContain('10.0.0.1')
})

test('a channel that is refused, an account over its limit and a mistake in config.yaml say what to do', () => {
  const limited = { until: 5000, window: 'five_hour' }
  const found = brokenNow(
    parts({
      channels: { stateOf: () => ({ state: 'refused', why: '/home/me/token is missing' }) },
      accountLimits: { accounts: () => [{ teams: ['here', 'one'], windows: [], limited }] },
      configProblem: () => 'line 3',
    }),
  )
  expect(found.map(({ kind, teams }) => [kind, ...teams])).toEqual([
    ['configuration'],
    ['channel', 'here'],
    ['account', 'here', 'one'],
  ])
  expect(found.map(({ what }) => what)).toEqual([
    'config.yaml has a mistake: line 3',
    'The channel tg needs setup.',
    'The account of here, one is over its five-hour limit.',
  ])
  expect(found[2]).toMatchObject({ until: 5000 })
  for (const { remedy } of found) expect(remedy).toMatch(/^[A-Z].*\.$/)
})
