import { expect, test } from 'vitest'
import { IrisError } from '../../base/protocol/error.ts'
import { openSeams } from '../../kernel/session/seams.ts'
import type { TeamConfig } from '../../platform/config/config.ts'
import { type TeamsParts, teamsStatus } from './handlers/teams.ts'

test('a team on another machine that is removed while many teams are described is left out', async () => {
  const names = Array.from({ length: 45 }, (_, at) => `team-${String(at).padStart(2, '0')}`)
  const teams = new Map(names.map((name) => [name, { name, path: '/x', realPath: '/x' } as TeamConfig]))
  const parts = {
    config: () => ({ teams: new Map(teams), formerTeams: new Map(), settings: {} }),
    configProblem: () => undefined,
    claudeProblem: () => undefined,
    clock: { now: () => 1 },
    notices: { countsOf: () => ({ pending: 0, total: 0 }) },
    store: () => ({}),
    seams: openSeams(),
    sessions: { opened: () => [], ofTeam: () => [], countOf: () => 0, processes: {} },
    launcher: {
      programs: { isolationsOfAll: async () => new Map(names.map((name) => [name, { level: 'none', holds: false }])) },
      setups: { of: () => undefined },
    },
    machines: {
      linkOf(name: string) {
        if (!teams.has(name)) throw new IrisError('unknown_team', `The team "${name}" no longer exists.`, 'Add it.')
        // The configuration changes in the first pause.
        if (name === names[19]) teams.delete(names[30]!)
      },
    },
  } as unknown as TeamsParts
  const principal = { id: 'cli', roles: ['program'] }
  const found = await teamsStatus({}, { auth: { principal } } as never, parts)
  expect(found.teams.map(({ name }) => name)).toEqual(names.filter((name) => name !== names[30]))
})
