import { readFileSync } from 'node:fs'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentKinds } from '../../src/features/agents/contract/agents.ts'
import type { AuthContext } from '../../src/kernel/call/call.ts'
import { agentOf } from '../../src/kernel/call/principal.ts'
import { callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { type Era, eras } from '../support/mcp-clients.ts'
import { writeFiles } from '../support/project-tree.ts'

const kinds = [
  'tech-writer',
  'unit-tester',
  'integration-tester',
  'code-reviewer',
  'debugger',
  'refactorer',
  'changeloger',
  'error-handler',
  'example-writer',
  'logger',
]

let iris: TestIris
beforeAll(async () => {
  iris = await TestIris.start({ claude: 'fake' })
  writeFiles(iris.world.directory('backend'), {
    'package.json': { name: 'shop-api', dependencies: { express: '5', '@nestjs/core': '11' } },
    'CLAUDE.md': 'The API of the shop.',
    '.iris/templates/logger.hbs': '{{projectName}} logs with {{framework}}{{#if hint}}: {{hint}}{{/if}}',
    '.iris/templates/debugger.hbs': '{{#if}}',
  })
  writeFiles(iris.world.home, { 'templates/refactorer.hbs': 'From home, for {{projectName}}.' })
})
afterAll(() => iris[Symbol.asyncDispose]())

test('the guide names every kind, with what it does', () => {
  const guide = readFileSync(new URL('../../docs/guide/agents.md', import.meta.url), 'utf8')
  const [table = ''] = guide.split('\n| argument |')
  const rows = [...table.matchAll(/^\| `([a-z-]+)` \| ([a-z].*) \|$/gm)].map(([, kind, does]) => [kind, does])
  const known = Object.entries(agentKinds).map(([kind, does]) => [kind, does.charAt(0).toLowerCase() + does.slice(1)])
  expect(rows).toEqual(known)
})

describe('get_agent', () => {
  test('makes a prompt for the project that is named', async () => {
    const made = await callTool(iris, 'get_agent', { agentType: 'code-reviewer', team: 'backend' })
    expect(made).toEqual({
      agentType: 'code-reviewer',
      prompt: expect.stringMatching(/\*\*shop-api\*\*[^]*with NestJS[^]*The API of the shop\./),
      source: 'built-in',
      availableAgents: kinds,
      warnings: [],
    })
  })

  test('takes the template of the project, then that of the home, and the caller’s variables', async () => {
    const context = { hint: 'be brief' }
    expect(await callTool(iris, 'get_agent', { agentType: 'logger', team: 'backend', context })).toMatchObject({
      prompt: 'shop-api logs with NestJS: be brief\n',
      source: 'project',
      path: `${iris.world.directory('backend')}/.iris/templates/logger.hbs`,
    })
    expect(await callTool(iris, 'get_agent', { agentType: 'refactorer', team: 'frontend' })).toMatchObject({
      prompt: 'From home, for frontend.\n',
      source: 'home',
      path: `${iris.world.home}/templates/refactorer.hbs`,
    })
  })

  test('says what it could not use', async () => {
    const made = await callTool(iris, 'get_agent', { agentType: 'debugger', team: 'backend', includeGitDiff: true })
    expect(made).toMatchObject({ source: 'built-in', prompt: expect.stringContaining('cause of a fault') })
    expect(made['warnings']).toEqual([
      expect.stringMatching(/^There is no git diff: /),
      '.iris/templates/debugger.hbs is not used: line 1: {{#if}}: there is nothing in it.',
    ])
  })

  test('takes the team from where the bridge was started', async () => {
    const directory = iris.world.directory('backend')
    expect(await callTool(iris, 'get_agent', { agentType: 'logger' }, { directory })).toMatchObject({
      prompt: 'shop-api logs with NestJS\n',
    })
  })

  test('refuses what it cannot know', async () => {
    expect(await refusal(iris, 'get_agent', { agentType: 'logger' })).toMatchObject({
      code: 'invalid_input',
      message: 'The project of the prompt is missing.',
    })
    expect(await refusal(iris, 'get_agent', { agentType: 'logger', team: 'backnd' })).toMatchObject({
      code: 'unknown_team',
    })
    expect(await refusal(iris, 'get_agent', { agentType: 'poet', team: 'backend' })).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('tech-writer'),
    })
    const context = { target: 'x'.repeat(4_000_000) }
    expect(await refusal(iris, 'get_agent', { agentType: 'logger', team: 'frontend', context })).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('it does too much'),
    })
  })

  test('gives an agent the prompts of its own project and of no other', async () => {
    const auth: AuthContext = { principal: agentOf('backend'), team: 'backend', parent: undefined }
    const call = { auth, signal: AbortSignal.any([]), progress: () => {}, idempotencyKey: undefined }
    const asAgent = (input: object) => iris.daemon.operations.call('get_agent', input, call)
    const own = { prompt: 'shop-api logs with NestJS\n' }
    expect(await asAgent({ agentType: 'logger' })).toMatchObject(own)
    expect(await asAgent({ agentType: 'logger', team: 'backend' })).toMatchObject(own)
    for (const team of ['frontend', 'unknown']) {
      await expect(asAgent({ agentType: 'logger', team })).rejects.toMatchObject({ code: 'not_allowed' })
    }
  })
})

describe.each(eras)('a client that speaks MCP %s', (era) => {
  test('finds a prompt for each kind of specialist', async () => {
    const client = await connected(era)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(kinds)
    for (const { description, arguments: taken } of prompts) {
      expect(description).toMatch(/^[A-Z].*\.$/)
      expect(taken).toMatchObject([
        { name: 'team', required: false },
        { name: 'includeGitDiff', required: false },
      ])
    }
    await client.close()
  })

  test('gets the same text as from get_agent', async () => {
    const client = await connected(era)
    const made = await callTool(iris, 'get_agent', { agentType: 'code-reviewer', team: 'backend' })
    const got = await client.getPrompt({ name: 'code-reviewer', arguments: { team: 'backend' } })
    expect(got).toMatchObject({
      description: 'Reviews code and changes nothing.',
      messages: [{ role: 'user', content: { type: 'text', text: made['prompt'] } }],
    })
    await client.close()
  })

  test.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['', false],
  ])('asks for the git diff with %j: %s', async (includeGitDiff, isAsked) => {
    const client = await connected(era)
    const got = await client.getPrompt({ name: 'logger', arguments: { team: 'frontend', includeGitDiff } })
    expect(got._meta?.['iris/warnings']).toHaveLength(isAsked ? 1 : 0)
    await client.close()
  })

  test('is told what was wrong', async () => {
    const client = await connected(era)
    const wrong = (name: string, args: Record<string, string>) =>
      client.getPrompt({ name, arguments: args }).then(
        () => 'no error',
        (error: unknown) => error,
      )
    expect(await wrong('logger', {})).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('Name it in team'),
    })
    expect(await wrong('logger', { team: 'backnd' })).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('Did you mean "backend"?'),
    })
    for (const [name, args] of [
      ['poet', { team: 'backend' }],
      ['logger', { team: 'backend', includeGitDiff: 'maybe' }],
      ['logger', { team: 'backend', colour: 'blue' }],
    ] as const) {
      expect(await wrong(name, args)).toMatchObject({ code: -32_602 })
    }
    await client.close()
  })
})

async function connected(era: Era) {
  const url = new URL(`http://127.0.0.1:${iris.port}/mcp`)
  const requestInit = { headers: { authorization: `Bearer ${iris.token}` } }
  const info = { name: 'test', version: '1.0.0' }
  if (era === '2025-11-25') {
    const client = new LegacyClient(info)
    await client.connect(new LegacyTransport(url, { requestInit }))
    return client
  }
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: era } } })
  await client.connect(new ModernTransport(url, { requestInit }))
  return client
}
