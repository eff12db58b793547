import { expect, test } from 'vitest'
import type { Config } from '../../platform/config/config.ts'
import type { Machines } from '../../platform/machine/machine.ts'
import { TeamPrograms } from './team-programs.ts'

/** Programs of so many teams, and how often each was looked at and a program was searched for. */
function programsOf(count: number) {
  const teams = new Map(
    Array.from({ length: count }, (_, number) => [`team-${number}`, { name: `team-${number}`, env: {} }]),
  )
  const counts = { looks: 0, searches: 0 }
  const isolation = { of: async () => ({ level: 'home', holds: true, detail: `look ${(counts.looks += 1)}` }) }
  const findExecutable = async (): Promise<string> => `/usr/bin/claude-${(counts.searches += 1)}`
  const programs = new TeamPrograms({
    config: () => ({ teams, formerTeams: new Map(), settings: { env: {} } }) as unknown as Config,
    machines: { of: () => ({ isolation, findExecutable }) } as unknown as Machines,
    irisTag: 'tag',
    newId: () => 'id',
    secrets: { add: () => {} },
    loginUses: { note: () => {} },
    environment: { PATH: '/usr/bin' },
  })
  return { programs, counts, teams }
}

test('twenty callers at once share the looks at the isolation of all teams', async () => {
  const { programs, counts } = programsOf(100)
  const all = await Promise.all(Array.from({ length: 20 }, () => programs.isolationsOfAll()))
  expect(counts.looks).toBeLessThanOrEqual(200)
  expect(counts.searches).toBeLessThanOrEqual(2)
  expect(all.map(({ size }) => size)).toEqual(Array.from({ length: 20 }, () => 100))
})

test('a look is never older than its question', async () => {
  const { programs, counts, teams } = programsOf(50)
  const first = programs.isolationsOfAll()
  while (counts.looks === 0) await new Promise((resolve) => setImmediate(resolve))
  teams.set('newest', { name: 'newest', env: {} })
  const second = programs.isolationsOfAll()
  expect((await first).has('newest')).toBe(false)
  expect((await second).has('newest')).toBe(true)
})

test('a look that fails is no reason for the next one to fail', async () => {
  const { programs, teams } = programsOf(1)
  teams.set('broken', undefined as never)
  await expect(programs.isolationsOfAll()).rejects.toThrow('broken')
  teams.delete('broken')
  expect((await programs.isolationsOfAll()).size).toBe(1)
})
