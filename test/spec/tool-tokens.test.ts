import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { nodeArguments } from '../../src/app/cli/spawn-daemon.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { Installation } from '../support/program.ts'
import { claudeBinary } from '../support/real-claude.ts'
import type { World } from '../support/world.ts'

const claude = claudeBinary('2.1.330')
const run = promisify(execFile)
const slow = 120_000

/** What Claude Code told its model of Iris's tools, a token counted for four bytes as docs/performance.md does. */
function tokensTold({ model }: World): number {
  const { tools = [] } = model.requests.recent.at(-1)!.body
  const ours = tools.filter(({ name }) => name.startsWith('mcp__iris__'))
  expect(ours.length).toBeGreaterThan(10)
  return Buffer.byteLength(JSON.stringify(ours)) / 4
}

/** The two figures of the README. */
function stated(): readonly [agent: number, person: number] {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').replaceAll(/\s+/g, ' ')
  const said =
    /about ([\d,]+) tokens to an agent's conversation\. Your own Claude Code gets more tools, which add about ([\d,]+)\./.exec(
      readme,
    )
  if (said === null) throw new Error('The README no longer says what the tools cost')
  const [, agent = '', person = ''] = said
  return [Number(agent.replace(',', '')), Number(person.replace(',', ''))]
}

const toHundreds = (tokens: number): number => Math.round(tokens / 100) * 100

test('what the tools cost an agent is what the README says', async () => {
  await using iris = await TestIris.start({ settings: { claudePath: claude } })
  await ask(iris, 'backend', 'hello')
  expect(toHundreds(tokensTold(iris.world))).toBe(stated()[0])
})

test("what they cost a person's own Claude Code is what the README says", { timeout: slow }, async () => {
  await using iris = await Installation.create({ script: () => ({ text: 'done' }) })
  const bridge = {
    mcpServers: { iris: { command: process.execPath, args: nodeArguments('mcp'), env: iris.env } },
  }
  const running = run(claude, ['-p', 'hello', '--mcp-config', JSON.stringify(bridge), '--strict-mcp-config'], {
    cwd: iris.world.root,
    env: iris.env,
    timeout: slow,
  })
  running.child.stdin?.end()
  await running
  expect(toHundreds(tokensTold(iris.world))).toBe(stated()[1])
})
