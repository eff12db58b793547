import { expect, test } from 'vitest'
import { teamOfDirectory } from './team-of-directory.ts'

const teams = new Map(
  ['/', '/work/app', '/work/app/packages/api', '/work/app2'].map((realPath) => [realPath, { realPath }]),
)

test.each([
  ['/work/app', '/work/app'],
  ['/work/app/src', '/work/app'],
  ['/work/app/packages/api/src', '/work/app/packages/api'],
  ['/work/app/packages/api-client', '/work/app'],
  ['/work/app2', '/work/app2'],
  ['/work/application', '/'],
  ['/', '/'],
])('%s belongs to the team in %s', (directory, realPath) => {
  expect(teamOfDirectory(teams, directory)?.realPath).toBe(realPath)
})

test('a directory outside every team belongs to none', () => {
  expect(teamOfDirectory(new Map([['app', { realPath: '/work/app' }]]), '/work/application')).toBeUndefined()
})
