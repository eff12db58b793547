import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { createWorld } from '../support/world.ts'

const fromTeam = 'frontend'
const pair = { team: 'backend', fromTeam }

test('a new session whose id is taken is created under another one, and nobody is troubled', async () => {
  await using iris = await TestIris.start()
  await ask(iris, 'backend', 'so that the project has a directory', { fromTeam: 'mobile' })
  const { sessionId } = await callTool(iris, 'team_wake', pair)
  await callTool(iris, 'team_sleep', pair)
  const projects = join(iris.world.claudeDirectory, 'projects')
  const slug = readdirSync(projects).find((name) => name.endsWith('backend'))!
  // As a crash at the wrong moment leaves it: nothing to resume, and in the way.
  writeFileSync(join(projects, slug, `${String(sessionId)}.jsonl`), '')
  const answer = await ask(iris, 'backend', 'hello', { fromTeam })
  expect(answer).toMatchObject({ status: 'completed', response: 'You said: hello' })
  expect(answer.sessionId).not.toBe(sessionId)
  expect(answer).not.toHaveProperty('contextReset')
  const archived = await iris.event('session-archived')
  expect(archived).toMatchObject({ sessionId, why: expect.stringContaining('is already in use') })
  expect(iris.rows(`SELECT status, archived_why FROM team_sessions WHERE session_id = '${String(sessionId)}'`)).toEqual(
    [{ status: 'archived', archived_why: archived.why }],
  )
})

test('a session that cannot be created under either id is refused as such, and both are in the log', {
  tags: ['thorough'],
}, async () => {
  await using world = await createWorld({ settings: { spawnTimeout: 1, logLevel: 'warn' } })
  await using daemon = await DaemonProcess.start(world)
  const refused = await refusal(daemon, 'team_wake', pair)
  expect(refused).toMatchObject({ code: 'session_creation_failed', remedy: expect.stringContaining('spawnTimeout') })
  expect(refused.message).toContain('The conversation with team "backend" could not be created. ')
  expect(refused.message).toContain('was not ready within 1 ms.')
  const lines = await eventually(() => logged(daemon), 'the log')
  for (const line of lines) expect(line).toMatchObject({ level: 'warn', pair: 'frontend→backend' })
  expect(new Set(lines.map(({ sessionId }) => sessionId)).size).toBe(2)

  const ended = await ask(daemon, 'backend', 'hello', { fromTeam })
  expect(ended).toMatchObject({ status: 'failed', reason: 'session_creation_failed', delivered: false })
})

function logged({ log }: DaemonProcess): Record<string, unknown>[] | undefined {
  const lines = log.split('\n').filter((line) => line.includes('Process failed: Claude Code for team'))
  return lines.length === 2 ? lines.map((line) => JSON.parse(line)) : undefined
}
