import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script, ToolUse } from '../../src/app/demo/script.ts'
import type { Line } from '../../src/base/agent/line.ts'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { spoken } from '../support/world.ts'

const fromTeam = 'frontend'
const yes = { grantPermission: 'yes', dangerous: true }

const agent = (prompt: string): ToolUse => ({
  name: 'Agent',
  input: { description: prompt, prompt: `work: ${prompt}`, subagent_type: 'general-purpose' },
})
const workflow = (prompt: string): ToolUse => ({
  name: 'Workflow',
  input: {
    script: `export const meta = { name: 'look', description: '${prompt}', phases: [] }\nreturn await agent('work: ${prompt}')`,
  },
})
const bash = (command: string): ToolUse => ({ name: 'Bash', input: { command, description: 'a step' } })

interface Tool {
  readonly name: string
  readonly toolUseId: string
  readonly within?: string
}

describe.each(claudeVersions)('under Claude Code %s', (version) => {
  const file = (name: string) => join(iris.world.directory('backend'), name)
  const held = (name: string) =>
    bash(`touch ${file(`${name}-begun`)}; while [ ! -e ${file(name)} ]; do sleep 0.05; done`)

  /** The steps of a subagent, by its prompt. */
  const steps: Record<string, () => readonly ToolUse[]> = {
    touch: () => [bash(`touch ${file('touched')}`)],
    remove: () => [bash(`rm -r ${file('kept')}`)],
    count: () => [held('first'), held('second')],
    ask: () => [{ name: 'mcp__iris__send_message', input: { toTeam: 'mobile', message: 'and you?' } }],
  }
  const script: Script = ({ conversation: { lastUserText, step, toolResults } }) => {
    const said = toolResults.at(-1)?.text ?? ''
    if (lastUserText.includes('<task-notification>')) return { text: 'reported' }
    const inner = /work: (\w+)/.exec(lastUserText)?.[1]
    if (inner !== undefined) {
      const use = steps[inner]!()[step]
      return use ? { toolUses: [use] } : { text: `FOUND ${said}` }
    }
    const [kind, prompt = ''] = spoken(lastUserText).split(' ')
    if (kind !== 'agent' && kind !== 'workflow') return { text: `answer to ${kind}` }
    if (step === 0) return { toolUses: [kind === 'agent' ? agent(prompt) : workflow(prompt)] }
    return { text: said }
  }

  let iris: TestIris
  beforeAll(async () => {
    iris = await TestIris.start({
      script,
      teams: { frontend: {}, backend: { ...yes, permissions: { deny: ['Bash(rm *)'] } }, mobile: {} },
      settings: { claudePath: claudeBinary(version) },
    })
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  const say = (message: string, more: object = {}) => ask(iris, 'backend', message, { fromTeam, ...more })
  const toolsOf = async (turnId: string) =>
    ((await callTool(iris, 'trace_turn', { turnId })) as { turns: { tools: readonly Tool[] }[] }).turns[0]!.tools
  const usedBy = async (turnId: string) =>
    ((await callTool(iris, 'message_status', { turnId, timeout: -1 })) as { tree: { used: Record<string, number> } })
      .tree.used

  test('what a subagent did stands in the transcript and in the trace as its own', async () => {
    const { turnId } = await say('agent touch')
    const [outer, inner] = await toolsOf(turnId)
    expect([outer, inner]).toMatchObject([{ name: 'Agent' }, { name: 'Bash', within: outer!.toolUseId }])
    const { parts } = (await callTool(iris, 'turn_transcript', { turnId })) as { parts: readonly object[] }
    const facts = { kind: 'tool', toolUseId: inner!.toolUseId, within: outer!.toolUseId }
    expect(parts).toContainEqual(expect.objectContaining(facts))
  })

  test('what an agent of a workflow did stands in the transcript and in the trace as that workflow’s', async () => {
    const { turnId } = await say('workflow touch')
    const [outer, inner] = await toolsOf(turnId)
    expect([outer, inner]).toMatchObject([{ name: 'Workflow' }, { name: 'Bash', within: outer!.toolUseId }])
    const { parts } = (await callTool(iris, 'turn_transcript', { turnId })) as { parts: readonly object[] }
    const input = expect.stringContaining(`touch ${file('touched')}`)
    expect(parts).toContainEqual(
      expect.objectContaining({ toolUseId: inner!.toolUseId, within: outer!.toolUseId, input }),
    )
  })

  test.each(['agent remove', 'workflow remove'])('a rule that denies holds for it too: %s', async (message) => {
    writeFileSync(file('kept'), '')
    const { turnId, status } = await say(message)
    expect(status).toBe('completed')
    expect(existsSync(file('kept'))).toBe(true)
    // What may not run never starts: only its own start is in the ledger.
    expect((await toolsOf(turnId)).map(({ name }) => name)).not.toContain('Bash')
  })

  test('what a subagent asks another team is caused by its turn, and counts in its budget', async () => {
    const { turnId, response } = await say('agent ask', { budget: { turns: 2 } })
    expect(response).toContain('answer to and')
    expect(await usedBy(turnId)).toMatchObject({ turns: 2 })
    const asked = iris.rows(`SELECT parent_tool_use AS toolUseId FROM turns WHERE parent_turn = '${turnId}'`)
    const inner = (await toolsOf(turnId)).find(({ name }) => name.startsWith('mcp__iris__'))!
    expect(asked).toEqual([{ toolUseId: inner.toolUseId }])
    expect(inner.within).toBe((await toolsOf(turnId))[0]!.toolUseId)

    const over = await say('agent ask', { budget: { turns: 1 } })
    expect(over.response).toContain('over_budget')
    expect(iris.rows(`SELECT 1 FROM turns WHERE parent_turn = '${over.turnId}'`)).toEqual([])
  })

  test.each(['agent touch', 'workflow touch'])(
    'the usage of a turn is all that was used for it: %s',
    async (message) => {
      const parts = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const
      const of = ({ usage }: TurnResult) => parts.map((part) => usage![part])
      const thread = message.replace(' ', '-')
      const told = await say(message, { thread, raw: true })
      const results = (told.rawMessages as Line[]).filter(({ type }) => type === 'result')
      const [model] = Object.values(results.at(-1)!['modelUsage'] as Record<string, Record<string, number>>)
      const all = ['inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens']
      expect(of(told)).toEqual(all.map((part) => model![part]))
      // More than the main conversation alone.
      const own = results.map(({ usage }) => Number((usage as Record<string, unknown>)['output_tokens']))
      expect(told.usage!.outputTokens).toBeGreaterThan(own.reduce((sum, each) => sum + each, 0))
      // And the next one has its own alone, also in the next process.
      await callTool(iris, 'team_sleep', { team: 'backend', fromTeam, thread })
      expect((await say('plain', { thread })).usage!.outputTokens).toBeLessThan(told.usage!.outputTokens)
    },
  )

  test.each(['agent count', 'workflow count'])('the tokens of a subagent count while it works: %s', async (message) => {
    for (const name of ['first', 'second', 'first-begun', 'second-begun']) rmSync(file(name), { force: true })
    const { turnId } = await say(message, { budget: { tokens: 1_000_000 }, timeout: -1 })
    await eventually(() => existsSync(file('first-begun')), 'its first step')
    const before = await usedBy(turnId)
    writeFileSync(file('first'), '')
    await eventually(() => existsSync(file('second-begun')), 'its second step')
    await eventually(async () => (await usedBy(turnId))['tokens']! > before['tokens']!, 'more tokens')
    writeFileSync(file('second'), '')
    expect(await callTool(iris, 'message_status', { turnId, timeout: 0 })).toMatchObject({ status: 'completed' })
  })
})
