import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { workingTeam } from './former-teams.ts'
import { LiveConfig } from './live-config.ts'

const backend = 'teams: { backend: { path: ~/projects/backend, model: opus, env: { KEY: secret } } }'
const nothing = { teamsAdded: [], teamsRemoved: [], keys: [] }

test('a configuration that says the same is no change, and takes back a problem', async () => {
  await using disk = await temporaryHome()
  const live = new LiveConfig(await disk.load(backend))
  const same = await disk.load(`# a remark\n${backend}`)
  expect(live.replace(same)).toBeUndefined()
  expect([live.reject('broken'), live.reject('broken'), live.reject('otherwise broken')]).toEqual([true, false, true])
  expect(live.problem()).toBe('otherwise broken')
  expect(live.replace(same)).toEqual(nothing)
  expect(live.problem()).toBeUndefined()
})

test('what changes is named by its keys, never by values', async () => {
  await using disk = await temporaryHome()
  const live = new LiveConfig(await disk.load(`settings: { maxProcesses: 3 }\n${backend}`))
  const next = await disk.load(
    'settings: { queueTimeout: 1 }\nteams: { backend: { path: ~/projects/frontend, env: { KEY: other } } }',
  )
  expect(live.replace(next)).toEqual({
    ...nothing,
    keys: [
      'settings.maxProcesses',
      'settings.queueTimeout',
      'teams.backend.env',
      'teams.backend.model',
      'teams.backend.path',
    ],
  })
})

test('what only a start can change is named as long as it differs from what the daemon was started with', async () => {
  await using disk = await temporaryHome()
  const live = new LiveConfig(await disk.load('settings: { httpPort: 1 }'))
  live.replace(await disk.load('settings: { httpPort: 2 }\ndatabase: { path: other.db }'))
  expect(live.needsRestart).toEqual(['settings.httpPort', 'database.path'])
  live.replace(await disk.load('settings: { httpPort: 2, maxProcesses: 1 }'))
  expect(live.needsRestart).toEqual(['settings.httpPort'])
  live.replace(await disk.load('settings: { httpPort: 1, maxProcesses: 1 }'))
  expect(live.needsRestart).toEqual([])
})

test('a team that was removed works on by what it had last, until it comes back', async () => {
  await using disk = await temporaryHome()
  const live = new LiveConfig(await disk.load(backend))
  live.replace(await disk.load('teams: {}'))
  live.replace(await disk.load('settings: { maxProcesses: 1 }'))
  expect([live.current().teams.size, live.current().formerTeams.size]).toEqual([0, 1])
  expect(workingTeam(live.current(), 'backend')).toMatchObject({ model: 'opus' })
  live.replace(await disk.load(backend.replace('opus', 'haiku')))
  expect([live.current().teams.size, live.current().formerTeams.size]).toEqual([1, 0])
  expect(workingTeam(live.current(), 'backend')).toMatchObject({ model: 'haiku' })
})
