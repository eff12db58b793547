import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { homePaths } from '../../platform/config/home.ts'
import type { CheckContext } from './check-context.ts'
import { configuration } from './configuration.ts'

test('a team whose directory is gone fails, with what to do', async () => {
  await using disk = await temporaryHome()
  const config = await disk.load('teams: { gone: { path: ~/projects/gone }, backend: { path: ~/projects/backend } }')
  const context = { config, mistake: undefined, paths: homePaths(disk.home) } as unknown as CheckContext
  expect(configuration(context)).toMatchObject([
    { state: 'ok' },
    {
      state: 'fail',
      detail: expect.stringContaining(`The directory of team "gone", ${disk.root}/projects/gone, does not exist`),
      remedy: expect.stringContaining('iris config unset teams.gone'),
    },
  ])
})
