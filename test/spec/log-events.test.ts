import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LogEntry } from '../../src/base/lib/recent-log.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { Stage } from '../support/stage.ts'

/** What was logged at `info` and above, without what the start and the machine say. */
async function told(iris: TestIris, filter: object = {}): Promise<LogEntry[]> {
  const { logs } = await callTool(iris, 'get_logs', { level: 'info', ...filter })
  return (logs as LogEntry[]).filter(({ context }) => !['iris', 'isolation', 'discovery'].includes(context))
}

const short = ({ level, context, message }: LogEntry): string => `${level} ${context}: ${message}`

test('each message, process and session is told of in a line each, with ids and figures and without what was said', async () => {
  await using iris = await TestIris.start({ claude: 'either', script: () => ({ text: 'the secret answer' }) })
  const first = await ask(iris, 'backend', 'the secret question', { fromTeam: 'frontend' })
  await callTool(iris, 'team_sleep', { team: 'backend', fromTeam: 'frontend' })
  await ask(iris, 'backend', 'the secret question', { fromTeam: 'frontend' })
  const lines = await told(iris)
  expect(lines.map(short)).toEqual([
    'info session: Session created',
    'info orchestrator: Message accepted',
    'info process:backend: Process started',
    'info orchestrator: Message delivered',
    'info orchestrator: Message answered',
    'info process:backend: Process ended: put to sleep',
    'info orchestrator: Message accepted',
    'info process:backend: Process started, conversation resumed',
    'info orchestrator: Message delivered',
    'info orchestrator: Message answered',
  ])
  const { turnId, sessionId, usage } = first
  const ids = { pair: 'frontend→backend', sessionId }
  expect(lines[1]!.ids).toEqual({ ...ids, turnId })
  expect(lines[2]!.ids).toEqual({ ...ids, pid: expect.any(Number), readyMs: expect.any(Number) })
  expect(lines[3]!.ids).toEqual({ ...ids, turnId, queuedMs: expect.any(Number) })
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage!
  expect(lines[4]!.ids).toEqual({
    ...ids,
    turnId,
    durationMs: expect.any(Number),
    messageCount: expect.any(Number),
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    costUsd: expect.closeTo(usage!.costUsd!, 5),
  })
  const everything = JSON.stringify((await callTool(iris, 'get_logs', {}))['logs'])
  expect(everything).not.toContain('secret')
  expect(everything).toContain('Process exited with code 0')
})

test('a process that is killed is a process-error and a warning, one that is put to sleep is not', async () => {
  await using iris = await TestIris.start({ claude: 'either' })
  const seen: string[] = []
  iris.events$.subscribe(({ type }) => type.startsWith('process-') && type !== 'process-state' && seen.push(type))
  await ask(iris, 'backend', 'one')
  await callTool(iris, 'team_sleep', { team: 'backend' })
  expect(seen).toEqual(['process-spawned', 'process-exited', 'process-terminated'])
  await ask(iris, 'backend', 'two')
  const { pid } = await iris.event('process-spawned', ({ resumed }) => resumed)
  process.kill(pid, 'SIGKILL')
  const { error } = await iris.event('process-error')
  expect(error).toBe('claude ended by SIGKILL')
  await iris.event('process-terminated', ({ died }) => died)
  expect(seen.slice(3)).toEqual(['process-spawned', 'process-error', 'process-exited', 'process-terminated'])
  const lines = await told(iris, { storeName: 'process:backend', level: 'warn' })
  expect(lines.map(short)).toEqual(['warn process:backend: Process failed: claude ended by SIGKILL'])
})

test('a call that wakes says so, also where the process runs already, and who called', async () => {
  await using iris = await TestIris.start({ claude: 'either' })
  for (let call = 0; call < 2; call++) await callTool(iris, 'team_wake', { team: 'backend', fromTeam: 'frontend' })
  const lines = await told(iris, { storeName: 'process:backend' })
  expect(lines.map(short)).toEqual([
    'info process:backend: Process started',
    'info process:backend: Woken',
    'info process:backend: Wake asked for: the process runs already',
  ])
  expect(lines[2]!.ids).toEqual({ pair: 'frontend→backend', sessionId: expect.any(String), by: 'program' })
})

test('a cancelled, a failed and a queued message are told of as such', async () => {
  await using stage = await Stage.start({
    script: (file) => ({
      rules: [
        { when: 'slow', steps: [{ partial: 'working ' }, { waitForFile: file('never') }] },
        { when: 'fail', steps: [{ apiFailure: { status: 400, message: 'this is no request' } }] },
      ],
    }),
  })
  const { iris } = stage
  const slow = await callTool(iris, 'quick_message', { toTeam: 'backend', message: 'slow' })
  const next = await callTool(iris, 'quick_message', { toTeam: 'backend', message: 'next' })
  await stage.said('working ')
  await callTool(iris, 'session_cancel', { turnId: slow['turnId'] })
  await stage.status(String(next['turnId']), 0)
  const failed = await ask(iris, 'backend', 'fail')
  const lines = await told(iris, { storeName: 'orchestrator' })
  const of = (turnId: unknown) => lines.filter(({ ids }) => ids['turnId'] === turnId)
  expect(of(slow['turnId']).map(short)).toEqual([
    'info orchestrator: Message accepted',
    'info orchestrator: Message delivered',
    'info orchestrator: Cancel asked for',
    'info orchestrator: Message cancelled',
  ])
  expect(of(slow['turnId']).at(-1)!.ids).toMatchObject({ detail: expect.any(String) })
  expect(short(of(failed.turnId).at(-1)!)).toBe('warn orchestrator: Message failed: api_error')
  expect(of(next['turnId'])[0]!.ids).toMatchObject({ ahead: 1 })
})

test('a conversation that is missing is a warning, with its id; so is a system without /proc', async () => {
  await using stage = await Stage.start()
  const { iris } = stage
  const { sessionId } = await ask(iris, 'backend', 'hello')
  await callTool(iris, 'team_sleep', { team: 'backend' })
  await iris.daemon.stop(0)
  const places = [join(iris.world.root, '.claude/projects'), join(iris.world.home, 'data/transcripts')]
  for (const place of places) rmSync(place, { recursive: true })
  // One that was used in the moment of the start may be on its way to the disk.
  await stage.clock.jump(1)
  await iris.restart({ procRoot: '/nowhere' })
  await iris.daemon.discovered
  const { logs } = await callTool(iris, 'get_logs', { level: 'warn' })
  expect((logs as LogEntry[]).map(({ context, message, ids }) => [context, message, ids['missingIds']])).toEqual(
    expect.arrayContaining([
      ['iris', expect.stringContaining('there is no /proc: a caller is identified only by its token'), undefined],
      ['discovery', expect.stringMatching(/^1 conversations? (is|are) missing on disk/), [sessionId]],
    ]),
  )
  await ask(iris, 'backend', 'again')
  const archived = await told(iris, { storeName: 'session', level: 'warn' })
  expect(archived.map(short)).toEqual(['warn session: Session archived: Claude Code no longer has a transcript of it'])
  expect(archived[0]!.ids).toMatchObject({ sessionId })
})
