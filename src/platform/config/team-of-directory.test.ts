import { expect, test } from 'vitest'
import { teamOfDirectory } from './team-of-directory.ts'

const teams = new Map(
  ['/', '/srv/app', '/srv/app/packages/api', '/srv/app2'].map((realPath) => [realPath, { realPath }]),
)

test.each([
  ['/srv/app', '/srv/app'],
  ['/srv/app/src', '/srv/app'],
  ['/srv/app/packages/api/src', '/srv/app/packages/api'],
  ['/srv/app/packages/api-client', '/srv/app'],
  ['/srv/app2', '/srv/app2'],
  ['/srv/application', '/'],
  ['/', '/'],
])('%s belongs to the team in %s', (directory, realPath) => {
  expect(teamOfDirectory(teams, directory)?.realPath).toBe(realPath)
})

test('a directory outside every team belongs to none', () => {
  expect(teamOfDirectory(new Map([['app', { realPath: '/srv/app' }]]), '/srv/application')).toBeUndefined()
})
