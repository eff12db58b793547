import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { yamlFromTeamsJson } from './teams-json.ts'

const older = JSON.stringify({
  settings: { idleTimeout: 300000, maxProcesses: 10, healthCheckInterval: 30000 },
  teams: {
    frontend: {
      project: '/srv/app/frontend',
      path: '/srv/app/Frontend',
      description: 'Frontend: the ${brand} team',
      skipPermissions: true,
      color: '#E91E63',
    },
    backend: { path: '/srv/app/backend', skipPermissions: false },
  },
})

const newer = `settings:
  idleTimeout: 300000
  maxProcesses: 10
  healthCheckInterval: 30000
teams:
  frontend:
    path: /srv/app/frontend
    description: "Frontend: the $\${brand} team"
    color: "#E91E63"
    grantPermission: yes
    dangerous: true
  backend:
    path: /srv/app/backend`

test('a teams.json without a config.yaml is answered with the config.yaml to write', async () => {
  await using disk = await temporaryHome()
  await disk.write('iris/teams.json', older)
  const indented = newer.replaceAll(/^/gm, '    ')
  expect(await disk.mistakes()).toBe(`/r/iris/teams.json
  Problem: teams.json is the older form of the configuration, and config.yaml does not exist
  Fix:     Write this into /r/iris/config.yaml, then remove teams.json:
${indented}`)
})

test('what is written for it loads', async () => {
  await using disk = await temporaryHome()
  const json = JSON.stringify({
    teams: { a: { project: `${disk.root}/projects/backend`, description: '${x} $${y} $', skipPermissions: true } },
  })
  const { teams } = await disk.load(yamlFromTeamsJson(json))
  expect(teams.get('a')).toMatchObject({ description: '${x} $${y} $', grantPermission: 'yes', dangerous: true })
})

test('beside a config.yaml it is left alone', async () => {
  await using disk = await temporaryHome()
  await disk.write('iris/teams.json', older)
  expect((await disk.load('')).teams.size).toBe(0)
})

test('what Iris does not know is named, without its value', () => {
  const json =
    '{"version": 2, "teams": {"a": {"path": "/a", "env": {"TOKEN": "secret"}, "mode": "secret"}, "__proto__": {"path": "/p"}}}'
  expect(yamlFromTeamsJson(json)).toBe(`# not taken over: "version"
# not taken over: "teams.a.env"
# not taken over: "teams.a.mode"
teams:
  a:
    path: /a
  __proto__:
    path: /p`)
})

test.for(['{ "teams": // comment', '[]', 'null', ''])(
  'one that is not a JSON object (%s) is answered with an example',
  async (json) => {
    await using disk = await temporaryHome()
    await disk.write('iris/teams.json', json)
    expect(await disk.mistakes()).toBe(`/r/iris/teams.json
  Problem: teams.json is the older form of the configuration, and config.yaml does not exist
  Fix:     Write this into /r/iris/config.yaml, then remove teams.json:
    teams:
      backend:
        path: /path/to/backend`)
  },
)
