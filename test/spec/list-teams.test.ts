import { afterAll, beforeAll, expect, test } from 'vitest'
import { wholeMeta } from '../../src/base/protocol/daemon.ts'
import { agentOf } from '../../src/kernel/call/principal.ts'
import { callAs } from '../support/call-as.ts'
import { callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { runCommand } from '../support/run-command.ts'

const names = Array.from({ length: 300 }, (_, at) => `team${at}`)
const agent = { principal: agentOf('team0'), team: 'team0', parent: undefined }
let iris: TestIris

beforeAll(async () => {
  const about = (name: string) => ({ description: name === 'team250' ? 'Invoices and stock.' : 'A project.' })
  iris = await TestIris.start({
    claude: 'fake',
    teams: Object.fromEntries(names.map((name) => [name, about(name)])),
  })
})
afterAll(() => iris[Symbol.asyncDispose]())

interface Listed {
  readonly teams: { readonly name: string; readonly config: object }[]
  readonly moreNames?: string[]
  readonly totalTeams: number
}
const asAgent = async (input: object = {}) => (await callAs(agent, iris, 'list_teams', input)) as unknown as Listed

test('an agent is shown 50 teams by name and description, then names, and how many there are', async () => {
  const { teams, moreNames, totalTeams } = await asAgent()
  expect(teams).toHaveLength(50)
  expect(teams[0]).toEqual({ name: 'team0', config: { description: 'A project.' } })
  expect(moreNames).toEqual(names.slice(50))
  expect(totalTeams).toBe(300)
  expect((await asAgent({ limit: 3 })).teams).toHaveLength(3)
})

test('a query finds teams by words, and a whole name shows all that is known', async () => {
  const found = await asAgent({ query: 'STOCK invoices' })
  expect(found).toMatchObject({ teams: [{ name: 'team250' }], totalTeams: 1 })
  expect(found.teams[0]!.config).toEqual({ description: 'Invoices and stock.' })
  const named = await asAgent({ query: 'team25' })
  expect(named.teams[0]).toMatchObject({ name: 'team25', config: { path: expect.any(String) } })
  expect(named.totalTeams).toBe(11)
})

test('a program that asks for the whole is shown all, as is a person at a terminal', async () => {
  const listed = await callTool(iris, 'list_teams')
  expect(listed).toMatchObject({ teams: { length: 50 }, totalTeams: 300 })
  expect(await callTool(iris, 'list_teams', {}, { meta: { [wholeMeta]: true } })).toMatchObject({
    teams: { length: 300 },
  })
  const { stdout } = await runCommand(iris.world, ['teams', 'list'], {})
  expect(stdout).toContain('team299')
})
