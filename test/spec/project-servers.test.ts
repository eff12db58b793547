import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolUse } from '../../src/app/demo/script.ts'
import { ask } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { obeying, orders } from '../support/obeying-model.ts'
import { answerPermission } from '../support/owner.ts'
import { claudeBinary, claudeVersions } from '../support/real-claude.ts'
import { isBrief } from '../support/tier.ts'

/** Leaves a file when it starts. Its two tools say that they ran. */
const server = (file: string) => `
  require('node:fs').writeFileSync(${JSON.stringify(file)}, '')
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line)
    const tool = (name) => ({ name, inputSchema: { type: 'object' }, _meta: { 'anthropic/alwaysLoad': true } })
    const results = {
      initialize: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
      'tools/list': { tools: ['buy', 'sell'].map(tool) },
      'tools/call': { content: [{ type: 'text', text: 'ran ' + params.name }] },
    }
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
  })`
const servers = ['shop', 'iris']

/** What the project allows its own servers, and what it wants a person to be asked about. */
const settings = {
  enableAllProjectMcpServers: true,
  enabledMcpjsonServers: servers,
  permissions: { allow: ['Bash', 'mcp__shop'], ask: ['Bash(touch *)', 'Bash(ls *)'] },
}

describe.each(claudeVersions)('a project with MCP servers and rules that ask, in Claude Code %s', (version) => {
  const rules = { allow: ['Bash(touch *)', 'mcp__shop__sell'], deny: ['mcp__shop__buy'] }
  const shop = { mcpServers: 'project', permissions: rules }
  const yes = { grantPermission: 'yes', dangerous: true }
  const teams = { plain: yes, shop: { ...shop, ...yes } }
  let iris: TestIris
  const at = (team: string, ...names: string[]) => join(iris.world.directory(team), ...names)
  beforeAll(async () => {
    iris = await TestIris.start({ script: obeying, teams, settings: { claudePath: claudeBinary(version) } })
    for (const team of Object.keys(teams)) {
      const entry = (name: string) => ({ command: process.execPath, args: ['-e', server(at(team, `started-${name}`))] })
      const mcpServers = Object.fromEntries(servers.map((name) => [name, entry(name)]))
      writeFileSync(at(team, '.mcp.json'), JSON.stringify({ mcpServers }))
      mkdirSync(at(team, '.claude'))
      writeFileSync(at(team, '.claude/settings.json'), JSON.stringify(settings))
    }
  })
  afterAll(() => iris[Symbol.asyncDispose]())

  const bash = (command: string): ToolUse => ({ name: 'Bash', input: { command, description: 'obey' } })
  const tool = (name: string): ToolUse => ({ name, input: {} })
  const use = async (team: string, ...uses: ToolUse[]) =>
    ((await ask(iris, team, orders(...uses))).response ?? '').split('\n')
  const started = (team: string) => servers.filter((name) => existsSync(at(team, `started-${name}`)))
  const grant = async (mode: string) => {
    const reloaded = iris.event('config-reloaded')
    iris.world.writeConfig({ teams: { ...teams, shop: { ...shop, grantPermission: mode } } })
    await reloaded
  }
  /** Tools that ran, or were asked about. */
  const recorded = () => iris.rows('SELECT name FROM tool_starts ORDER BY started_at').map(({ name }) => name)
  const questions = () => iris.rows('SELECT tool_name AS tool, state FROM permissions ORDER BY asked_at')
  const refused = () =>
    iris
      .rows(`SELECT detail FROM audit WHERE action = 'tool.refused' ORDER BY sequence`)
      .map(({ detail }) => JSON.parse(String(detail)) as object)

  test('with mcpServers: project, a rule of config.yaml denies a tool, and with grantPermission: yes nobody is asked', async () => {
    const names = ['mcp__shop__buy', 'mcp__shop__sell', 'mcp__iris__buy']
    const [bought, sold, bypassed, touched] = await use('shop', ...names.map(tool), bash('touch open'))
    expect([bought, bypassed]).toEqual(Array(2).fill(expect.stringContaining('refused: ')))
    expect(sold).toBe('ran sell')
    expect([touched, existsSync(at('shop', 'open'))]).toEqual([expect.not.stringContaining('refused'), true])
    // A server with the name of Iris would run without a question.
    expect(started('shop')).toEqual(['shop'])
    const why = expect.stringContaining('the rule mcp__shop__buy of its permissions in config.yaml')
    expect(refused()).toMatchObject([{ toolName: 'mcp__shop__buy', why }])
    expect([recorded(), questions()]).toEqual([['mcp__shop__sell', 'Bash'], []])
  })

  test('with grantPermission: ask, a person decides what it wants to be asked about, whatever config.yaml allows', async () => {
    await grant('ask')
    const asked = iris.event('permission:request')
    const answer = use('shop', bash('touch asked'))
    await answerPermission(iris, (await asked).permission, 'deny')
    expect(await answer).toEqual([expect.stringMatching(/^refused: .*the person who was asked says no/)])
    expect(questions()).toEqual([{ tool: 'Bash', state: 'denied' }])
  })

  test('with grantPermission: no, nobody is asked and it is refused, and other tools need a rule of config.yaml', async () => {
    await grant('no')
    const [sold, ...others] = await use('shop', tool('mcp__shop__sell'), bash('touch closed'), bash('ls open'))
    expect(sold).toBe('ran sell')
    expect(others).toEqual(Array(2).fill(expect.stringContaining('Claude Code asks a person about this use')))
    expect(['asked', 'closed'].filter((name) => existsSync(at('shop', name)))).toEqual([])
    expect(refused().slice(-2)).toMatchObject(Array(2).fill({ toolName: 'Bash' }))
    expect(questions()).toHaveLength(1)
  })

  if (isBrief) return

  test('starts none of its servers without that setting', async () => {
    expect(await use('plain', tool('mcp__shop__sell'))).toEqual([expect.stringContaining('No such tool')])
    expect(started('plain')).toEqual([])
  })
})
