import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Script } from '../../src/app/demo/script.ts'
import type { reflect } from '../../src/features/insight/contract/reflect.ts'
import { TestBrowser } from '../support/browser.ts'
import { ask, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { asOwner } from '../support/owner.ts'
import { spoken } from '../support/world.ts'

type Reflection = z.output<typeof reflect.output>

let iris: TestIris
let project: string
/** A message in Markdown, which pages show without its marks. */
const marked = 'Where is the **orders** endpoint `defined`?'
let answer = 'In src/orders.ts, see @secrets.'

/** "read" reads one file again and again; everything else has the answer of the test. */
const script: Script = ({ conversation: { lastUserText, step } }) =>
  spoken(lastUserText).startsWith('read') && step < 5
    ? { toolUses: [{ name: 'Read', input: { file_path: join(project, 'CLAUDE.md') } }] }
    : { text: answer }

const reflection = async (input: object = {}) => (await asOwner(iris, 'reflect', input)) as unknown as Reflection
const claudeMd = () => readFileSync(join(project, 'CLAUDE.md'), 'utf8')

beforeAll(async () => {
  iris = await TestIris.start({
    claude: 'fake',
    script,
    teams: { frontend: {}, backend: { grantPermission: 'yes', dangerous: true } },
  })
  project = iris.world.directory('backend')
  writeFileSync(join(project, 'CLAUDE.md'), '# Backend\n\nBe brief.\n')
  await ask(iris, 'backend', marked, { fromTeam: 'frontend' })
  answer = 'In src/routes/orders.ts.'
  await ask(iris, 'backend', 'Which file defines the orders endpoint?', { fromTeam: 'frontend' })
  await ask(iris, 'backend', 'read the instructions of this project', { fromTeam: 'frontend' })
  await ask(iris, 'backend', 'How large may an invoice be?', { fromTeam: 'frontend' })
  await ask(iris, 'backend', 'How large may the invoice be?', { fromTeam: 'frontend' })
})
afterAll(() => iris[Symbol.asyncDispose]())

test('finds a question asked twice, answers that contradict each other, a circle and what a pair cost', async () => {
  const found = await reflection()
  expect(found.read).toEqual({ asks: 5, uses: 5, questions: 0 })
  expect(found.askedTwice.map(({ message, times }) => [message, times])).toEqual([
    ['How large may an invoice be?', 2],
    [marked, 2],
  ])
  expect(found.contradicted).toMatchObject([
    { to: 'backend', said: ['src/orders.ts'], saidLater: ['src/routes/orders.ts'] },
  ])
  expect(found.circles).toMatchObject([{ team: 'backend', kind: 'tools', rounds: 5 }])
  expect(found.costly).toMatchObject([{ from: 'frontend', to: 'backend', messages: 5, share: 1 }])
  expect(found.rules).toEqual([])
})

test('no model is asked for any of it', async () => {
  const before = iris.world.model.requests.turns
  await reflection()
  await asOwner(iris, 'find_patterns', {})
  await asOwner(iris, 'list_drift', {})
  expect(iris.world.model.requests.turns).toBe(before)
})

test('each figure comes from its query, run on the store', async () => {
  const found = await reflection()
  using store = new DatabaseSync(join(iris.world.home, 'data/team-sessions.db'), { readOnly: true })
  const rows = (query: string) => store.prepare(query).all()
  for (const { query, times } of found.askedTwice) expect(rows(query)).toHaveLength(times)
  for (const { query, messages, costUsd } of found.costly) expect(rows(query)).toEqual([{ messages, costUsd }])
  for (const { query } of found.contradicted) expect(rows(query)).toHaveLength(2)
  for (const { query, rounds } of found.circles) {
    expect(new Set(rows(query).map((row) => row['input_hash'])).size).toBe(1)
    expect(rows(query)).toHaveLength(rounds)
  }
})

/** As if a person had allowed the same command five times. */
function allowedOften(sessionId: string, command: string, when = 'first'): void {
  const rules = [{ toolName: 'Bash', ruleContent: `${command}:*` }]
  const suggestions = JSON.stringify([{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }])
  iris.change(`WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 6)
    INSERT INTO permissions (id, session, process_start, turn, tool_use_id, tool_name, input, input_hash, suggestions,
      directory, chain, asked_at, deadline, state, decided_by, decided_at, scope)
    SELECT '${command} ${when} ' || n, s.id, 'start', NULL, 'use-' || n, 'Bash', '{"command":"${command}"}', 'hash',
      '${suggestions}', '/', '[]', ${Date.now()} - n, ${Date.now()}, 'allowed', 'owner', ${Date.now()} - n, 'once'
    FROM counted, team_sessions AS s WHERE s.session_id = '${sessionId}'`)
}

describe('a suggestion', () => {
  test('is applied by one click in the dashboard, as its difference shows, and does not come back', async () => {
    await using browser = await TestBrowser.start()
    await using tab = await browser.open(iris, { path: '/insight' })
    const { page } = tab
    const apply = page.getByRole('button', { name: 'Write into CLAUDE.md: Where is the orders endpoint defined?' })
    await apply.waitFor()
    const contradicted = page.getByRole('region', { name: 'Answers that contradict each other' })
    await contradicted.getByText('backend Where is the orders endpoint defined?').waitFor()
    expect(await tab.barriers()).toEqual([])
    await apply.click()
    await page.getByText('CLAUDE.md was changed.').waitFor()
    await apply.waitFor({ state: 'detached' })
    const decided = page.getByRole('region', { name: 'Decided' })
    await decided.getByText('backend Where is the orders endpoint defined?').waitFor()
    const date = new Date().toISOString().slice(0, 10)
    expect(claudeMd().replace(/\d{4}-\d\d-\d\d/, date)).toBe(
      `# Backend\n\nBe brief.\n\n## Answers to repeated questions\n\n- ${marked} In src/routes/orders.ts. (as answered on ${date})\n`,
    )
    expect(tab.troubles).toEqual([])
    const found = await reflection()
    expect(found.askedTwice.map(({ message }) => message)).toEqual(['How large may an invoice be?'])
    expect(found.decided).toMatchObject([{ team: 'backend', decision: 'applied', askedSince: 0 }])
    const { entries } = (await asOwner(iris, 'list_audit', { limit: 5 })) as { entries: { action: string }[] }
    expect(entries.map(({ action }) => action)).toContain('decide_suggestion')
  })

  test('is not written when the file has changed since its difference was shown', async () => {
    const [{ suggestionId, diff }] = (await reflection()).askedTwice as [Reflection['askedTwice'][number]]
    writeFileSync(join(project, 'CLAUDE.md'), '# Another\n')
    const owner = { port: iris.port, token: iris.world.owner() }
    const decision = { suggestionId, decision: 'apply', diff }
    expect(await refusal(owner, 'decide_suggestion', decision)).toMatchObject({ code: 'invalid_input' })
    expect(claudeMd()).toBe('# Another\n')
    expect(await refusal(iris, 'decide_suggestion', decision)).toMatchObject({ code: 'not_allowed' })
  })

  test('that was refused does not come back, in other words either', async () => {
    const [{ suggestionId }] = (await reflection()).askedTwice as [Reflection['askedTwice'][number]]
    await asOwner(iris, 'decide_suggestion', { suggestionId, decision: 'refuse' })
    await ask(iris, 'backend', 'Invoice: how large may it be?', { fromTeam: 'frontend' })
    const { askedTwice, decided } = await reflection({ since: 0 })
    expect(askedTwice).toEqual([])
    expect(decided.map(({ decision }) => decision)).toEqual(['refused', 'applied'])
  })

  test('of a rule is added to config.yaml by one click, and one that was refused does not come back', async () => {
    const { sessionId } = await ask(iris, 'backend', 'Is it day?', { fromTeam: 'frontend' })
    for (const command of ['npm test', 'make lint']) allowedOften(sessionId, command)
    const rules = async () => (await reflection()).rules
    const lint = (await rules()).find(({ rule: each }) => each.includes('make lint'))
    await asOwner(iris, 'decide_suggestion', { suggestionId: lint?.suggestionId, decision: 'refuse' })
    allowedOften(sessionId, 'make lint', 'again')
    const [{ rule, suggestionId }, ...more] = (await rules()) as [Reflection['rules'][number]]
    expect([rule, ...more]).toEqual(['Bash(npm test:*)'])
    const owner = { port: iris.port, token: iris.world.owner() }
    const other = { suggestionId, decision: 'apply', diff: 'Bash(rm:*)' }
    expect(await refusal(owner, 'decide_suggestion', other)).toMatchObject({ code: 'invalid_input' })
    await using browser = await TestBrowser.start()
    await using tab = await browser.open(iris, { path: '/insight' })
    const add = tab.page.getByRole('button', { name: `Add the rule: ${rule} for backend` })
    await add.click()
    await tab.page.getByText('The rule was added to config.yaml.').waitFor()
    await add.waitFor({ state: 'detached' })
    expect(readFileSync(join(iris.world.home, 'config.yaml'), 'utf8')).toContain(rule)
    expect(readFileSync(join(iris.world.home, 'config.yaml'), 'utf8')).not.toContain('make lint')
    expect(await rules()).toEqual([])
  })

  test('of each week: switched on it is made at once, is in the audit, and the page says so', async () => {
    const teams = { frontend: {}, backend: { grantPermission: 'yes', dangerous: true } } as const
    iris.world.writeConfig({ teams, insight: { reflectWeekly: true } })
    const { suggestions } = await iris.event('reflected')
    expect((await reflection()).weekly).toMatchObject({ suggestions, at: expect.any(Number) })
    const { entries } = (await asOwner(iris, 'list_audit', { limit: 20 })) as { entries: { action: string }[] }
    expect(entries.map(({ action }) => action)).toContain('insight.reflected')
  })

  test('counts how often its question was asked after it was applied', async () => {
    await ask(iris, 'backend', marked, { fromTeam: 'frontend' })
    const { decided } = await reflection()
    const applied = decided.filter(({ kind, decision }) => kind === 'claude-md' && decision === 'applied')
    expect(applied).toMatchObject([{ subject: marked, askedSince: 1 }])
  })
})
