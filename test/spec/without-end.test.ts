import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { deferred } from '../../src/base/lib/deferred.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { claudeBinary, contractVersions } from '../support/real-claude.ts'
import { Stage } from '../support/stage.ts'
import { spoken } from '../support/world.ts'

describe.each(contractVersions)('tool calls that Claude Code %s cuts off', (version) => {
  let iris: TestIris
  const gate = deferred<void>()
  const reached = deferred<void>()

  /** Every answer is cut in the middle of a tool call. The 30th waits for the gate. */
  const script: Script = async ({ conversation: { lastUserText, step } }) => {
    if (!spoken(lastUserText).startsWith('write')) return { text: 'fine' }
    if (step === 30) {
      reached.resolve()
      await gate.promise
    }
    return { toolUses: [{ name: 'Write', input: { file_path: '/a', content: 'long' } }], stopReason: 'max_tokens' }
  }

  beforeAll(async () => {
    const settings = { claudePath: claudeBinary(version) }
    iris = await TestIris.start({ script, teams: { frontend: {}, backend: {} }, settings })
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  test('are said, count while they go on, and end with a reason of their own', async () => {
    const from = { fromTeam: 'frontend' }
    const answer = ask(iris, 'backend', 'write it', from)
    await reached.promise
    const { turnId } = await iris.event('turn-delivered')
    const stuck = expect.stringContaining('No tool has run in the last 30 calls to the model')
    expect(await callTool(iris, 'message_status', { turnId, ...from })).toMatchObject({
      status: 'async',
      stuck,
      usage: { outputTokens: expect.any(Number) },
    })
    const { pairs } = await callTool(iris, 'get_usage')
    expect(pairs).toEqual([expect.objectContaining({ to: 'backend', outputTokens: expect.any(Number) })])
    expect((pairs as { inputTokens: number }[])[0]!.inputTokens).toBeGreaterThan(0)
    gate.resolve()
    const ended = await answer
    expect(ended).toMatchObject({ status: 'timed_out', reason: 'no_tool_ran' })
    expect(ended['detail']).toContain('200 calls to the model; the last one asked for Write')
    expect(ended).not.toHaveProperty('stuck')
    expect(await ask(iris, 'backend', 'hello', from)).toMatchObject({ status: 'completed', response: 'fine' })
  })
})

const yes = { grantPermission: 'yes', dangerous: true }
const minute = 60_000

/** An MCP server whose tool `query` never answers. */
const silentServer = `
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    for (const { id, method, params } of chunk.trim().split('\\n').map((line) => JSON.parse(line))) {
      const inputSchema = { type: 'object', properties: {} }
      const results = {
        initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'db', version: '1' } },
        'tools/list': { tools: [{ name: 'query', description: 'Asks the database.', inputSchema }] },
      }
      const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'no such method' } }
      if (id !== undefined && method !== 'tools/call') console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    }
  })`

test.each(contractVersions)(
  'a tool of an MCP server that never answers is named, and ended, by %s',
  async (version) => {
    const clock = new JumpingClock()
    const settings = { claudePath: claudeBinary(version) }
    const script: Script = ({ conversation: { lastUserText, step } }) =>
      spoken(lastUserText) === 'query' && step === 0
        ? { toolUses: [{ name: 'mcp__db__query', input: {} }] }
        : { text: 'fine' }
    const backend = { ...yes, mcpServers: 'project' }
    await using iris = await TestIris.start({ script, settings, clock, teams: { frontend: {}, backend } })
    const db = { command: process.execPath, args: ['-e', silentServer] }
    writeFileSync(join(iris.world.directory('backend'), '.mcp.json'), JSON.stringify({ mcpServers: { db } }))
    const from = { fromTeam: 'frontend' }
    const answer = ask(iris, 'backend', 'query', from)
    const isCall = (message: unknown): boolean => JSON.stringify(message).includes('"name":"mcp__db__query","input":{}')
    const { turnId } = await iris.event('turn-message', (event) => isCall(event.message))
    const pass = async (minutes: number): Promise<void> => {
      for (let passed = 0; passed < minutes; passed += 2) await clock.jump(2 * minute)
    }
    await pass(14)
    const stuck = expect.stringMatching(/^mcp__db__query has not answered for 1\d minutes$/)
    expect(await callTool(iris, 'message_status', { turnId, ...from })).toMatchObject({ status: 'async', stuck })
    await pass(60)
    const detail = expect.stringContaining('mcp__db__query has not answered for 6')
    expect(await answer).toMatchObject({ status: 'timed_out', reason: 'tool_unanswered', detail })
  },
)

test('that Claude Code still waits for a tool is no sign of the tool', async () => {
  const heartbeat = { type: 'tool_progress', tool_name: 'mcp__db__query', heartbeat: true }
  const script = (file: (name: string) => string) => {
    const during = [
      { waitForFile: file('beat') },
      { rawStdout: `${JSON.stringify(heartbeat)}\n` },
      { waitForFile: file('end') },
    ]
    return { rules: [{ when: 'query', steps: [{ tool: { name: 'mcp__db__query', during } }] }] }
  }
  await using stage = await Stage.start({ script, teams: { frontend: {}, backend: yes } })
  const { turnId } = await ask(stage.iris, 'backend', 'query', { fromTeam: 'frontend', timeout: -1 })
  await stage.iris.event('turn-message', ({ message }) => JSON.stringify(message).includes('mcp__db__query'))
  await stage.clock.jump(9 * minute)
  stage.fake.open('beat')
  await stage.iris.event('turn-message', ({ message }) => JSON.stringify(message).includes('heartbeat'))
  await stage.clock.jump(4 * minute)
  expect(await stage.status(turnId)).toMatchObject({ stuck: expect.stringContaining('mcp__db__query') })
  stage.fake.open('end')
  expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed' })
})

test('a Stop hook that never lets the agent end is named, and ended with what was said and used', async () => {
  const hook = { hook_event: 'Stop', hook_name: 'Stop', exit_code: 2, stderr: 'run the linter' }
  const round = [
    { type: 'assistant', message: { id: 'same', content: [{ type: 'text', text: 'done' }] } },
    { type: 'system', subtype: 'hook_response', ...hook },
  ]
  const lines = Array.from({ length: 200 }, () => round).flat()
  const rawStdout = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const script = { rules: [{ when: 'lint', steps: [{ text: 'all done' }, { rawStdout }, { waitForFile: '/never' }] }] }
  await using stage = await Stage.start({ script, teams: { frontend: {}, backend: yes } })
  const ended = await ask(stage.iris, 'backend', 'lint', { fromTeam: 'frontend' })
  expect(ended).toMatchObject({
    status: 'timed_out',
    reason: 'sent_on_by_hook',
    partialResponse: expect.stringContaining('all done'),
    detail: expect.stringMatching(
      /^A Stop hook has made the agent continue 200 times: "run the linter"\. Iris interrupted/,
    ),
    usage: { outputTokens: expect.any(Number) },
  })
})
