import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { runCommand } from '../support/run-command.ts'

const fromTeam = 'frontend'

test('a team without its directory breaks alone: Iris starts, says so everywhere, and the team works when it is back', async () => {
  await using iris = await TestIris.start({ claude: 'fake', teams: ['frontend', 'backend', 'mobile'] })
  const { world } = iris
  const path = world.directory('backend')
  renameSync(path, `${path}.away`)
  await iris.restart()
  const what = `The directory of team "backend", ${path}, does not exist: ${join(path, '..')} does not contain "backend".`
  const remedy = /create the directory, or remove the team with "iris config unset teams\.backend"/

  expect(await ask(iris, 'mobile', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
  const failed = await ask(iris, 'backend', 'hello', { fromTeam })
  expect(failed).toMatchObject({ status: 'failed', reason: 'spawn_failed', delivered: false })
  expect(failed.detail).toContain(what)
  expect(failed.detail).toMatch(remedy)

  const { teams } = await callTool(iris, 'team_status', { team: 'backend' })
  expect(teams).toMatchObject([{ unusable: { what, remedy: expect.stringMatching(remedy) } }])
  const broken = { what, remedy: expect.stringMatching(remedy) }
  expect((await callTool(iris, 'get_health', {}))['problems']).toContainEqual({ severity: 'error', ...broken })
  expect((await callTool(iris, 'get_inbox', {}))['broken']).toContainEqual({
    kind: 'directory',
    teams: ['backend'],
    ...broken,
  })
  expect((await runCommand(world, ['status'])).stdout).toContain(`problem: ${what}`)
  expect((await runCommand(world, ['config', 'validate'])).stderr).toContain(`Note: ${what}`)

  renameSync(`${path}.away`, path)
  const { problems } = await callTool(iris, 'get_health', {})
  expect(JSON.stringify(problems)).not.toContain(path)
  expect((await callTool(iris, 'get_inbox', {}))['broken']).toEqual([])
  expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
  expect(await callTool(iris, 'team_status', { team: 'backend' })).not.toHaveProperty('teams[0].unusable')
})

test('a save takes effect although a team has lost its directory, and a new team without one is named', async () => {
  await using iris = await TestIris.start({ claude: 'fake', teams: ['frontend', 'backend'] })
  const { world } = iris
  rmSync(world.directory('backend'), { recursive: true })
  const nowhere = join(world.root, 'nowhere')
  world.writeConfig({ teams: { frontend: { description: 'new' }, lost: { path: nowhere } } })
  expect(await iris.event('config-reloaded')).toMatchObject({
    teamsAdded: ['lost'],
    teamsRemoved: ['backend'],
    keys: ['teams.frontend.description'],
  })
  const { problems } = await callTool(iris, 'get_health', {})
  expect(problems).toContainEqual(expect.objectContaining({ what: expect.stringContaining(nowhere) }))
  mkdirSync(nowhere)
  expect(await ask(iris, 'lost', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
})

test('a command in a team’s own directory speaks as that team, also when another directory is a link to it', async () => {
  await using iris = await TestIris.start({ claude: 'fake', teams: ['frontend', 'backend', 'mobile'] })
  const { world } = iris
  rmSync(world.directory('frontend'), { recursive: true })
  symlinkSync(world.directory('backend'), world.directory('frontend'))
  const words = ['tell', 'mobile', 'hello', '--async', '--json']
  const { stdout } = await runCommand(world, words, { cwd: world.directory('backend') })
  expect(JSON.parse(stdout)).toMatchObject({ from: 'backend', to: 'mobile' })
})
