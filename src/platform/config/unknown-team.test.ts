import { expect, test } from 'vitest'
import type { Config } from './config.ts'
import { unknownTeam } from './unknown-team.ts'

const teams: Config['teams'] = new Map([['ops', {} as never]])

test.each([
  [['backend@studio'], 'Did you mean "backend@studio"? Teams: ops, backend@studio.'],
  [[], 'Teams: ops.'],
])('with the teams %j of other hosts, the remedy for a misspelled name is: %s', (others, remedy) => {
  expect(unknownTeam('backend@studo', { teams }, others)).toMatchObject({ code: 'unknown_team', remedy })
})
