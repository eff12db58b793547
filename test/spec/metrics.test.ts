import { expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { hurried } from '../support/hurried.ts'
import { TestIris } from '../support/iris.ts'
import { answerPermission, questionOf } from '../support/owner.ts'
import { plainHttp } from '../support/plain-http.ts'
import { type ReadFamily, readPrometheusText } from '../support/prometheus-text.ts'
import { Stage } from '../support/stage.ts'

interface Endpoint {
  readonly port: number
  readonly token: string
}

async function scrape({ port, token }: Endpoint): Promise<Map<string, ReadFamily>> {
  const answer = await plainHttp(port, 'GET', '/metrics', { authorization: `Bearer ${token}` })
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  return readPrometheusText(answer.body)
}

/** The sum of the samples of that name whose labels fit. */
function sum(families: Map<string, ReadFamily>, sample: string, labels: Record<string, string> = {}): number {
  const family = families.get(sample) ?? families.get(sample.replace(/_(bucket|sum|count)$/, ''))
  if (family === undefined) throw new Error(`no family ${sample}`)
  const fitting = family.samples.filter(
    (each) => each.name === sample && Object.entries(labels).every(([name, value]) => each.labels[name] === value),
  )
  return fitting.reduce((total, { value }) => total + value, 0)
}

const fails = { rules: [{ when: 'task', steps: [{ partial: 'Half ' }, { kill: 'SIGKILL' as const }] }] }

test('the figures say what was done', async () => {
  await using stage = await Stage.start({ script: fails })
  const { iris } = stage
  for (const message of ['one', 'two']) await ask(iris, 'backend', message, { fromTeam: 'frontend' })
  await ask(iris, 'mobile', 'three', { fromTeam: 'frontend' })
  const failed = await hurried(stage, ask(iris, 'mobile', 'task', { fromTeam: 'backend' }))
  expect(failed.status).toBe('failed')
  await callTool(iris, 'send_message', { toTeam: 'nobody', message: 'x' })

  const figures = await scrape(iris)
  expect(sum(figures, 'iris_turns_accepted_total')).toBe(4)
  expect(sum(figures, 'iris_turns_total', { team: 'backend', outcome: 'completed' })).toBe(2)
  expect(sum(figures, 'iris_turns_total', { team: 'mobile', outcome: 'completed' })).toBe(1)
  expect(sum(figures, 'iris_turns_total', { team: 'mobile', outcome: 'failed' })).toBe(1)
  expect(sum(figures, 'iris_turn_duration_seconds_count', { team: 'backend' })).toBe(2)
  expect(sum(figures, 'iris_turn_queue_seconds_count')).toBe(4)
  expect(sum(figures, 'iris_processes', { state: 'idle' })).toBe(2)
  expect(sum(figures, 'iris_process_starts_total', { team: 'backend' })).toBe(1)
  expect(sum(figures, 'iris_process_exits_total', { team: 'mobile', how: 'killed' })).toBeGreaterThan(0)
  expect(sum(figures, 'iris_calls_total', { operation: 'send_message', result: 'ok' })).toBe(4)
  expect(sum(figures, 'iris_calls_total', { operation: 'send_message', result: 'unknown_team' })).toBe(1)
  expect(sum(figures, 'iris_queue_length')).toBe(0)
  expect(sum(figures, 'iris_store_operation_seconds_count', { operation: 'commit' })).toBeGreaterThan(8)
  expect(sum(figures, 'iris_store_bytes', { file: 'database' })).toBeGreaterThan(0)
  expect(sum(figures, 'iris_build_info')).toBe(1)
  expect(sum(figures, 'iris_ready')).toBe(1)
  const labels = [...figures.values()].flatMap(({ samples }) => samples.flatMap((each) => Object.values(each.labels)))
  const ids = iris.rows('SELECT session_id AS id FROM team_sessions UNION SELECT id FROM turns').map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(5)
  expect(labels.filter((value) => ids.some((id) => value.includes(String(id))))).toEqual([])
})

test('tokens and cost are those that Claude Code reports', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start({ claude: 'either', script: () => ({ text: 'yes' }) })
  const { usage } = await ask(iris, 'backend', 'hello')
  const figures = await scrape(iris)
  const of = (kind: string) => sum(figures, 'iris_tokens_total', { team: 'backend', kind })
  expect(usage!.outputTokens).toBeGreaterThan(0)
  expect({ input: of('input'), output: of('output'), read: of('cache_read'), write: of('cache_write') }).toEqual({
    input: usage!.inputTokens,
    output: usage!.outputTokens,
    read: usage!.cacheReadTokens,
    write: usage!.cacheWriteTokens,
  })
  expect(sum(figures, 'iris_cost_usd_total')).toBeCloseTo(usage!.costUsd!, 8)
})

test('a question is counted with its answer and the wait for it', { tags: ['thorough'] }, async () => {
  await using iris = await TestIris.start({
    claude: 'fake',
    teams: { backend: {} },
    script: ({ conversation: { step } }) =>
      step === 0 ? { toolUses: [{ name: 'Bash', input: { command: 'touch asked.txt' } }] } : { text: 'done' },
  })
  const asked = ask(iris, 'backend', 'run')
  const question = await questionOf(iris, 'backend')
  expect(sum(await scrape(iris), 'iris_permissions_open')).toBe(1)
  await answerPermission(iris, question, 'deny')
  await asked
  const figures = await scrape(iris)
  expect(sum(figures, 'iris_permissions_open')).toBe(0)
  expect(sum(figures, 'iris_permission_questions_total', { team: 'backend' })).toBe(1)
  expect(sum(figures, 'iris_permission_answers_total', { answer: 'denied' })).toBe(1)
  expect(sum(figures, 'iris_permission_wait_seconds_count', { answer: 'denied' })).toBe(1)
})

test('the figures are for whoever has a credential', async () => {
  await using stage = await Stage.start()
  expect((await plainHttp(stage.iris.port, 'GET', '/metrics', {})).status).toBe(401)
})
