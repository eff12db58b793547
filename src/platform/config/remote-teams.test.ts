import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'
import { schemaOfConfig } from './described.ts'
import { doubtsOf } from './doubts.ts'

test('the example of a team on another machine loads, and nothing of its path is looked up here', async () => {
  await using disk = await temporaryHome()
  const { teams } = await disk.load(`
teams:
  team-remote:
    remote: ssh inanna
    path: /opt/containers
    enableReverseMcp: true
    sessionMcpEnabled: true
    claudePath: ~/bin/claude
`)
  expect(teams.get('team-remote')).toMatchObject({
    remote: 'ssh inanna',
    path: '/opt/containers',
    realPath: '/opt/containers',
    claudePath: '~/bin/claude',
  })
})

test('the same path on two machines is two projects, on one it is a mistake', async () => {
  await using disk = await temporaryHome()
  const two = (other: string) => `
teams:
  a: { remote: ssh inanna, path: /opt/shop }
  b: { remote: ${other}, path: /opt/shop/ }
`
  expect((await disk.load(two('ssh enki'))).teams.size).toBe(2)
  expect(await disk.mistakes(two('ssh inanna'))).toContain('lead to the same directory')
})

test.each([
  ['remote: ssh -oProxyCommand=id inanna', 'path: /opt', '-o ProxyCommand, which is not among'],
  ['remote: ssh inanna', 'path: containers', 'is not an absolute path, and this team is on another machine'],
  ['remote: ssh inanna', 'path: ~/containers', 'is not an absolute path, and this team is on another machine'],
  ['remote: ssh inanna', 'path: /opt/../etc', 'contains ".."'],
  ['remote: ssh inanna', 'path: "/opt/a\\nb"', 'contains a line break'],
  ['remote: ssh inanna', 'path: /opt\n    isolation: sandbox', 'asks for a sandbox on another machine'],
  ['remote: ssh inanna', 'path: /opt\nsettings: { isolation: sandbox }', 'asks for a sandbox on another machine'],
  ['remote: docker exec -i web sh', 'path: /opt\n    remoteOptions: { port: 22 }', 'is for ssh'],
  ['remote: ssh inanna', 'path: /opt\n    remoteOptions: { strictHostKeyChecking: no }', 'Allowed: yes or accept-new'],
  ['remote: ssh inanna', 'path: /opt\n    remoteOptions: { extraSshArgs: ["-D", "80"] }', 'the option -D'],
  ['enableReverseMcp: true', 'path: /', 'has no effect without remote'],
])('%s, %s', async (remote, path, problem) => {
  await using disk = await temporaryHome()
  expect(await disk.mistakes(`teams:\n  a:\n    ${remote}\n    ${path}\n`)).toContain(problem)
})

test('times take a unit, a bare number is milliseconds, and one that ssh would count in seconds is doubted', async () => {
  await using disk = await temporaryHome()
  const config = await disk.load(`
settings: { idleTimeout: 5m, defaultTimeout: 45s, budget: { time: 1h } }
teams:
  a: { remote: ssh inanna, path: /opt/a, linkGrace: 2h, remoteOptions: { connectTimeout: 30s, serverAliveInterval: 30 } }
channels:
  shop: { platform: telegram, tokenFile: ~/token, team: a, sessionTimeout: 1.5h, cleanupInterval: 60000 }
roles: { narrow: { budget: { time: 90s } } }
`)
  expect(config.settings).toMatchObject({ idleTimeout: 300_000, defaultTimeout: 45_000, budget: { time: 3_600_000 } })
  expect(config.teams.get('a')).toMatchObject({
    linkGrace: 7_200_000,
    remoteOptions: { connectTimeout: 30_000, serverAliveInterval: 30 },
  })
  expect(config.channels.get('shop')).toMatchObject({ sessionTimeout: 5_400_000, cleanupInterval: 60_000 })
  expect(config.roles.get('narrow')).toMatchObject({ budget: { time: 90_000 } })
  const key = 'teams.a.remoteOptions.serverAliveInterval'
  expect(doubtsOf(config)).toEqual([
    {
      text: `${key} is 30 milliseconds, but ssh gets 1 second, because it counts in whole seconds`,
      remedy: `iris config set ${key} 30s`,
    },
  ])
})

test('every setting that takes a time warns of a number that can hardly be milliseconds', async () => {
  await using disk = await temporaryHome()
  const config = await disk.load(`
settings: { idleTimeout: 30, maxSilence: 600, queueTimeout: 1s, defaultTimeout: -1, budget: { time: 5 } }
teams: { a: { remote: ssh inanna, path: /opt/a, backgroundTimeout: 60 } }
channels: { shop: { platform: telegram, tokenFile: ~/token, team: a, sessionTimeout: 90, cleanupInterval: 60000 } }
roles: { narrow: { budget: { time: 90 } } }
`)
  expect(doubtsOf(config).map(({ remedy }) => remedy)).toEqual([
    'iris config set settings.maxSilence 600s',
    'iris config set settings.idleTimeout 30s',
    'iris config set settings.budget.time 5s',
    'iris config set teams.a.backgroundTimeout 60s',
    'iris config set channels.shop.sessionTimeout 90s',
    'iris config set roles.narrow.budget.time 90s',
  ])
  expect(doubtsOf(config)[0]?.text).toBe('settings.maxSilence is 600 milliseconds, less than a second')
})

test('a time that is none says what may stand there', async () => {
  await using disk = await temporaryHome()
  for (const time of ['5 minutes', '"30"', 'soon', '0s']) {
    const said = await disk.mistakes(`settings: { idleTimeout: ${time} }\n`)
    expect(said).toContain('a time such as 30s or 5m, or a whole number of milliseconds')
  }
})

test('whatever is wrong with a key, its mistake names the values that it takes', () => {
  const without: string[] = []
  const look = (schema: unknown, path: string): void => {
    const { properties = {}, additionalProperties, description } = schema as Record<string, object>
    for (const [key, inner] of Object.entries(properties)) look(inner, `${path}.${key}`)
    if (typeof additionalProperties === 'object' && path.split('.').length < 3) look(additionalProperties, `${path}.*`)
    if (path !== '' && Object.keys(properties).length === 0 && description === undefined) without.push(path)
  }
  look(schemaOfConfig(), '')
  expect(without).toEqual([])
})
