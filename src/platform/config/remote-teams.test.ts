import { expect, test } from 'vitest'
import { temporaryHome } from '../../../test/support/temporary-home.ts'

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
  ['remote: ssh inanna', 'path: /opt/../etc', 'holds ".."'],
  ['remote: ssh inanna', 'path: "/opt/a\\nb"', 'holds a line break'],
  ['remote: ssh inanna', 'path: /opt\n    isolation: sandbox', 'asks for a sandbox on another machine'],
  ['remote: ssh inanna', 'path: /opt\nsettings: { isolation: sandbox }', 'asks for a sandbox on another machine'],
  ['remote: docker exec -i web sh', 'path: /opt\n    remoteOptions: { port: 22 }', 'is for ssh'],
  [
    'remote: ssh inanna',
    'path: /opt\n    remoteOptions: { strictHostKeyChecking: no }',
    'teams.a.remoteOptions.strictHostKeyChecking',
  ],
  ['remote: ssh inanna', 'path: /opt\n    remoteOptions: { extraSshArgs: ["-D", "80"] }', 'the option -D'],
  ['enableReverseMcp: true', 'path: /', 'means nothing without remote'],
])('%s, %s', async (remote, path, problem) => {
  await using disk = await temporaryHome()
  expect(await disk.mistakes(`teams:\n  a:\n    ${remote}\n    ${path}\n`)).toContain(problem)
})
