import { expect, test } from 'vitest'
import type { SetupProblem } from '../../features/teams/contract.ts'
import { setupAnswer } from './setup-question.ts'
import { missingServers, SetupReport } from './setup-report.ts'

const init = (fields: object) => ({ type: 'system', subtype: 'init', ...fields })
const problems: readonly SetupProblem[] = [
  { kind: 'settings', text: 'Claude Code ignores /p/settings.json (no JSON)' },
  { kind: 'server', text: 'The MCP server shop did not start: ENOENT' },
  { kind: 'plugin', text: 'The plugin lint@us has failed: not found' },
  { kind: 'plugin', text: 'The plugin gone@us is enabled in the settings, and is not installed.' },
]
const line = init({
  mcp_servers: [
    { name: 'iris', status: 'connected' },
    { name: 'shop', status: 'failed' },
  ],
  plugins: [{ name: 'fine', source: 'fine@us' }],
  plugin_errors: [{ plugin: 'lint@us', type: 'x', message: 'not found' }],
})

test('a process is asked with each message, and what it says is reported once', async () => {
  const asked: string[] = []
  const report = new SetupReport(async (subtype) => {
    asked.push(subtype)
    if (subtype === 'mcp_status') return { mcpServers: [{ name: 'shop', status: 'failed', error: 'ENOENT' }] }
    const enabledPlugins = { 'lint@us': true, 'fine@us': true, 'off@us': false, 'gone@us': true }
    return { errors: [{ file: '/p/settings.json', path: '', message: 'no JSON' }], effective: { enabledPlugins } }
  })
  const told = new Promise((resolve) => report.reports$.subscribe(resolve))
  report.take({ type: 'assistant' })
  report.take(line)
  expect(await told).toEqual(problems)
  expect(asked).toEqual(['get_settings', 'mcp_status'])
})

test('a process that refuses the question has said the rest', async () => {
  const report = new SetupReport(() => Promise.reject(new Error('unknown')))
  const told = new Promise((resolve) => report.reports$.subscribe(resolve))
  report.take(line)
  expect(await told).toEqual([
    { kind: 'server', text: 'The MCP server shop did not start.' },
    { kind: 'plugin', text: 'The plugin lint@us has failed: not found' },
  ])
})

test('a wrong value is named by its key, and where no server is missing nothing is asked besides', async () => {
  const asked: string[] = []
  const report = new SetupReport(async (subtype) => {
    asked.push(subtype)
    return { errors: [{ file: '/p/settings.json', path: 'permissions.deny', message: 'Expected array' }] }
  })
  const told = new Promise((resolve) => report.reports$.subscribe(resolve))
  report.take(init({}))
  const text = 'Claude Code ignores /p/settings.json (Expected array, at permissions.deny)'
  expect(await told).toEqual([{ kind: 'settings', text }])
  expect(asked).toEqual(['get_settings'])
})

test('servers that start or are off are not missing, nor logins that a project has no part in', () => {
  const mcp_servers = [
    { name: 'a', status: 'pending' },
    { name: 'b', status: 'disabled' },
    { name: 'claude.ai Mail', status: 'needs-auth' },
    { name: 'mail', status: 'needs-auth', source: 'claudeai' },
    { name: 'git', status: 'needs-auth', source: 'project' },
    { status: 'failed' },
    'failed',
  ]
  expect(missingServers(init({ mcp_servers }))).toEqual([{ name: 'git', needsLogin: true }])
  expect(missingServers(init({}))).toEqual([])
})

test('what a CLI prints before its answer is passed over', () => {
  const response = { request_id: 'setup', subtype: 'success', response: { errors: [{ file: '/f', message: 'why' }] } }
  const answer = JSON.stringify({ type: 'control_response', response })
  const printed = `a warning\n${JSON.stringify(init({}))}\n${answer}\n`
  expect(setupAnswer(printed)).toMatchObject({ ignored: [{ kind: 'settings', text: 'Claude Code ignores /f (why)' }] })
  expect(setupAnswer(answer.slice(0, 50))).toBeUndefined()
})
