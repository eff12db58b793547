import { fakeClaude } from '../test/support/fake-claude.ts'
import { TestIris } from '../test/support/iris.ts'
import { ask } from './in-process.ts'
import { ms, summarize } from './measure.ts'
import type { Row } from './row.ts'

const tools = 20
const rounds = 150

/**
 * P15: processor time of the daemon for a tool: its hook with the rules and the commit of its start, its lines, and a
 * question where the CLI has one. By the clock a turn of so many steps says more of the machine than of Iris.
 */
export async function toolHook(): Promise<readonly Row[]> {
  const uses = (name: string) => ({ when: name, steps: [...Array(tools).fill({ tool: { name } }), { text: 'done' }] })
  using fake = fakeClaude({ bare: true, script: { rules: [uses('Read'), uses('Bash')] } })
  const permissions = { allow: ['Bash', 'Edit(src/**)', 'Bash(git log *)'], deny: ['Bash(rm *)', 'Read(.env)'] }
  const team = { claudePath: fake.claudePath, env: fake.env }
  await using iris = await TestIris.start({ teams: { frontend: team, backend: { ...team, permissions } } })
  const kinds = { none: 'hello', harmless: 'Read', ruled: 'Bash' }
  const spent = { none: [] as number[], harmless: [] as number[], ruled: [] as number[] }
  for (let round = -10; round < rounds; round++) {
    for (const [kind, message] of Object.entries(kinds)) {
      const cpu = await processorMs(() => ask(iris, message))
      if (round >= 0) spent[kind as keyof typeof kinds].push(cpu)
    }
  }
  const [none, harmless, ruled] = [summarize(spent.none), summarize(spent.harmless), summarize(spent.ruled)]
  const row = (what: string, kind: typeof none): Row => ({
    id: 'P15',
    what: `processor of the daemon for a tool ${what}`,
    aim: 'reported',
    measured: `${ms((kind.p50 - none.p50) / tools)} a tool (${tools} in a turn, n=${kind.n})`,
    data: { none, kind },
  })
  return [row('that needs no permission', harmless), row('that a rule allows', ruled)]
}

async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
