import { expect, test } from 'vitest'
import { ask } from '../support/call-tool.ts'
import { fakeClaude, type Script } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'

const open = { grantPermission: 'yes', dangerous: true, isolation: 'none' }

/** Each team asks the next one, and the last one writes. */
function passedOn(hops: readonly string[]): Script {
  const rules = hops.slice(0, -1).map((team, hop) => ({
    when: `for ${team}`,
    steps: [
      {
        mcpCall: {
          name: 'send_message',
          arguments: { toTeam: hops[hop + 1], message: `for ${hops[hop + 1]}`, timeout: 0 },
        },
      },
      { text: '{{lastToolResult}}' },
    ],
  }))
  const last = { when: `for ${hops.at(-1)}`, steps: [{ tool: { name: 'Write', input: { file_path: 'x' } } }] }
  return { rules: [...rules, { ...last, steps: [...last.steps, { text: '{{lastToolResult}}' }] }] }
}

test('a role holds in the third and the fourth team of a tree, as in the first', async () => {
  const teams = ['one', 'two', 'three', 'four']
  using fake = fakeClaude({ script: passedOn(teams) })
  const team = { ...open, claudePath: fake.claudePath, env: fake.env }
  const roles = { chat_bot: { teams } }
  await using iris = await TestIris.start({ teams: Object.fromEntries(teams.map((name) => [name, team])) })
  const asked = async (role?: string): Promise<unknown> => {
    const { response } = await ask(iris, 'one', 'for one', role === undefined ? {} : { role })
    return response
  }
  const wrote = (): number =>
    fake.oracle().filter(({ event, ...what }) => event === 'tool' && 'tool' in what && what.tool === 'Write').length
  iris.world.writeConfig({ roles })
  await iris.event('config-reloaded')

  expect(await asked('chat_bot')).toContain('does not have it')
  expect(wrote()).toBe(0)
  const conversations = `SELECT to_team AS "to", thread FROM team_sessions ORDER BY id`
  expect(iris.rows(conversations)).toEqual(teams.map((to) => ({ to, thread: 'role:chat_bot' })))
  const starts = fake.oracle().flatMap((entry) => (entry.event === 'start' ? [entry.argv ?? []] : []))
  expect(starts.map((argv) => argv[argv.indexOf('--tools') + 1])).toEqual(teams.map(() => 'Read,Grep,Glob'))

  // The same tree without a role does what the teams may.
  await asked()
  expect(wrote()).toBe(1)
})
