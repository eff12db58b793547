import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { TurnResult } from '../../src/base/protocol/turn.ts'
import { tagVariable } from '../../src/platform/machine/process-tag.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { Person } from '../support/registered-person.ts'
import { Stage } from '../support/stage.ts'

const remembers = { rules: [{ steps: [{ text: '{{history}} now {{lastLine}}' }] }] }

/** A conversation that a person opens after its first answer. */
async function held(stage: Stage, job?: string): Promise<{ person: Person; sessionId: string }> {
  const { sessionId } = await ask(stage.iris, 'backend', 'one')
  const person = new Person(stage.iris.world.claudeDirectory, sessionId, job === undefined ? {} : { job })
  await stage.iris.event('session-held', ({ pid }) => pid === person.pid)
  return { person, sessionId }
}

const queued = async (stage: Stage, message: string): Promise<string> =>
  ((await callTool(stage.iris, 'quick_message', { toTeam: 'backend', message })) as TurnResult).turnId

test('while a person has a conversation open its messages wait, and the same conversation goes on afterwards', async () => {
  await using stage = await Stage.start({ script: remembers })
  const { person, sessionId } = await held(stage)
  await using _ = person
  await stage.iris.event('process-terminated', ({ why }) => why.includes('a person'))
  const turnId = await queued(stage, 'two')
  const { teams } = await callTool(stage.iris, 'team_status', { team: 'backend' })
  expect(teams).toMatchObject([{ sessions: [{ heldBy: person.pid, processState: 'stopped' }] }])
  expect(stage.starts()).toEqual(['start'])
  await person.leaves()
  await stage.iris.event('session-released', ({ pid }) => pid === person.pid)
  const answer = await stage.status(turnId, 0)
  expect(answer).toMatchObject({ status: 'completed', sessionId })
  expect(answer).not.toHaveProperty('contextReset')
  expect(stage.starts()).toEqual(['start', 'resume'])
})

test('a message for what is open in a background session of Claude Code says so wherever it is seen, and how to end that', async () => {
  await using stage = await Stage.start({ script: remembers })
  const { person, sessionId } = await held(stage, '3f2a9c01')
  await using _ = person
  await stage.iris.event('process-terminated', ({ why }) => why.includes('a person'))
  const turnId = await queued(stage, 'two')
  const waitsFor = {
    kind: 'background',
    since: expect.any(Number),
    what: 'Open in background session 3f2a9c01',
    remedy: '`claude stop 3f2a9c01`',
  }
  await stage.iris.event('turn-waits', (event) => event.turnId === turnId && event.kind === 'background')
  const status = await stage.status(turnId)
  expect(status).toMatchObject({ status: 'async', delivered: false, waitsFor })
  expect(status).not.toHaveProperty('waitsForPermission')
  const { teams } = await callTool(stage.iris, 'team_status', { team: 'backend' })
  expect(teams).toMatchObject([{ sessions: [{ waitsFor }] }])
  expect(await callTool(stage.iris, 'list_sessions')).toMatchObject({ sessions: [{ sessionId, waitsFor }] })
  expect(await callTool(stage.iris, 'list_turns')).toMatchObject({ turns: [{ turnId, waitsFor }, {}] })
  expect(await refusal(stage.iris, 'session_delete', { team: 'backend' })).toMatchObject({
    code: 'session_held',
    remedy: expect.stringContaining('claude stop 3f2a9c01'),
  })
  await person.leaves()
  const answer = await stage.status(turnId, 0)
  expect(answer).toMatchObject({ status: 'completed', sessionId })
  expect(answer).not.toHaveProperty('waitsFor')
})

test('what Claude Code does not resume because of a background session that Iris does not see fails, and is not lost', async () => {
  const stderr =
    'Error: That session is running in the background (3f2a9c01). Run `claude attach 3f2a9c01` to open it, or `claude stop 3f2a9c01` first to resume it here.\n'
  let free = ''
  await using stage = await Stage.start({
    script: (file) => {
      free = file('free')
      writeFileSync(free, '')
      return { ...remembers, exitAtStart: { code: 1, stderr, unlessFile: free } }
    },
  })
  const { sessionId } = await ask(stage.iris, 'backend', 'one')
  await callTool(stage.iris, 'team_sleep', { team: 'backend' })
  rmSync(free)
  expect(await ask(stage.iris, 'backend', 'two')).toMatchObject({
    status: 'failed',
    reason: 'session_held',
    detail: expect.stringContaining('Run "claude stop 3f2a9c01"'),
  })
  writeFileSync(free, '')
  expect(await ask(stage.iris, 'backend', 'three')).toMatchObject({ status: 'completed', sessionId })
})

test.each(['session_reboot', 'session_delete'])('%s asks before it ends what a person has open', async (verb) => {
  await using stage = await Stage.start({ script: remembers })
  const { person, sessionId } = await held(stage)
  await using _ = person
  const error = await refusal(stage.iris, verb, { team: 'backend' })
  expect(error).toMatchObject({ code: 'session_held', message: expect.stringContaining(String(person.pid)) })
  expect(await callTool(stage.iris, 'list_sessions')).toMatchObject({ sessions: [{ sessionId }] })
  expect(await callTool(stage.iris, verb, { team: 'backend', force: true })).toMatchObject({ message: /./ })
  const answer = await ask(stage.iris, 'backend', 'two')
  expect(answer.status).toBe('completed')
  expect(answer.sessionId).not.toBe(sessionId)
})

test('a message that waited for the whole queueTimeout is refused and names the process; the conversation is kept', async () => {
  await using stage = await Stage.start({ settings: { queueTimeout: 70_000 } })
  const { person, sessionId } = await held(stage)
  await using _ = person
  // The jump is to be the wait of the message alone, not that of the process's end.
  await stage.iris.event('process-terminated')
  const turnId = await queued(stage, 'two')
  await eventually(() => stage.clock.pending(70_000) > 0, 'the message waits')
  await stage.clock.jump(70_000)
  expect(await stage.status(turnId, 0)).toMatchObject({
    status: 'failed',
    reason: 'session_held',
    detail: expect.stringContaining(String(person.pid)),
  })
  await person.leaves()
  expect(await ask(stage.iris, 'backend', 'three')).toMatchObject({ status: 'completed', sessionId })
})

test('a turn that is at work when the person comes ends first, then its process goes', async () => {
  await using stage = await Stage.start({
    script: (file) => ({
      rules: [{ when: 'slow', steps: [{ partial: 'so ' }, { waitForFile: file('go') }, { text: 'done' }] }],
    }),
  })
  const { sessionId } = await ask(stage.iris, 'backend', 'one')
  const slow = ask(stage.iris, 'backend', 'slow')
  await stage.said('so ')
  await using person = new Person(stage.iris.world.claudeDirectory, sessionId)
  await stage.iris.event('session-held')
  const next = await queued(stage, 'next')
  stage.fake.open('go')
  expect(await slow).toMatchObject({ status: 'completed' })
  await stage.iris.event('process-terminated')
  expect(await stage.status(next)).toMatchObject({ status: 'async', delivered: false })
  await person.leaves()
  expect(await stage.status(next, 0)).toMatchObject({ status: 'completed' })
})

test('a person who comes while the process starts goes first: it is told nothing', async () => {
  await using stage = await Stage.start({ script: { startDelayMs: 300 } })
  const { sessionId } = await ask(stage.iris, 'backend', 'one')
  await callTool(stage.iris, 'team_sleep', { team: 'backend' })
  const turnId = await queued(stage, 'two')
  await eventually(() => stage.starts().length === 2, 'the process starts')
  await using person = new Person(stage.iris.world.claudeDirectory, sessionId)
  await stage.iris.event('session-held')
  await eventually(() => stage.iris.daemon.parts.pool.size === 0, 'the process has gone')
  expect(await stage.status(turnId)).toMatchObject({ status: 'async', delivered: false })
  await person.leaves()
  expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed' })
  expect(stage.starts()).toEqual(['start', 'resume', 'resume'])
})

test('a person whose claude is killed has left, though its file stays', async () => {
  await using stage = await Stage.start()
  const { person } = await held(stage)
  await using _ = person
  const turnId = await queued(stage, 'two')
  await person.dies()
  expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed' })
})

test('a person who is there when Iris starts is seen before anything is started', async () => {
  await using stage = await Stage.start()
  const { sessionId } = await ask(stage.iris, 'backend', 'one')
  await stage.iris.daemon.stop(0)
  await using person = new Person(stage.iris.world.claudeDirectory, sessionId)
  await stage.iris.restart()
  await stage.iris.event('session-held', ({ pid }) => pid === person.pid)
  const turnId = await queued(stage, 'two')
  expect(await stage.status(turnId)).toMatchObject({ status: 'async' })
  expect(stage.starts()).toEqual(['start'])
  await person.leaves()
  expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed', sessionId })
})

test('a file of a dead process, whose number another one has now, holds nothing', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start()
  const { sessionId } = await ask(stage.iris, 'backend', 'one')
  await using _ = new Person(stage.iris.world.claudeDirectory, sessionId, { procStart: '1' })
  await callTool(stage.iris, 'team_sleep', { team: 'backend' })
  expect(await ask(stage.iris, 'backend', 'two')).toMatchObject({ status: 'completed', sessionId })
})

test('a claude that something of Iris started, behind a script or out of a tool, is no person', async () => {
  await using stage = await Stage.start()
  const { sessionId } = await ask(stage.iris, 'backend', 'one')
  const env = { [tagVariable]: `${stage.irisTag}.${crypto.randomUUID()}` }
  await using _ = new Person(stage.iris.world.claudeDirectory, sessionId, { env })
  await callTool(stage.iris, 'team_sleep', { team: 'backend' })
  expect(await ask(stage.iris, 'backend', 'two')).toMatchObject({ status: 'completed', sessionId })
})

test('a waiting message can be cancelled, and team_wake says who holds the conversation', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start({ settings: { queueTimeout: 70_000 } })
  const { person } = await held(stage)
  await using _ = person
  await stage.iris.event('process-terminated')
  const waking = callTool(stage.iris, 'team_wake', { team: 'backend' })
  await eventually(() => stage.clock.pending(70_000) > 0, 'it waits')
  await stage.clock.jump(70_000)
  expect(await waking).toMatchObject({
    error: { code: 'session_held', message: expect.stringContaining(`${person.pid}`) },
  })
  const turnId = await queued(stage, 'two')
  stage.iris.daemon.parts.orchestrator.cancel(turnId)
  expect(await stage.status(turnId, 0)).toMatchObject({ status: 'cancelled' })
  expect(stage.starts()).toEqual(['start'])
})

test('a person who gave the conversation another id is followed there, and the caller is told', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start({ script: remembers })
  const { person, sessionId } = await held(stage)
  await using _ = person
  const branch = crypto.randomUUID()
  transcript(stage, branch, { forkedFrom: { sessionId, messageUuid: crypto.randomUUID() } })
  person.opens(branch)
  await stage.iris.event('session-held', ({ as }) => as === branch)
  const turnId = await queued(stage, 'two')
  await person.leaves()
  const answer = await stage.status(turnId, 0)
  expect(answer).toMatchObject({
    status: 'completed',
    sessionId: branch,
    contextReset: expect.stringContaining(branch),
  })
  expect(answer.response).toContain('said by hand')
  expect(stage.iris.rows('SELECT session_id, status, origin, origin_session FROM team_sessions ORDER BY id')).toEqual([
    { session_id: sessionId, status: 'archived', origin: 'new', origin_session: null },
    { session_id: branch, status: 'active', origin: 'taken_over', origin_session: sessionId },
  ])
  expect(await ask(stage.iris, 'backend', 'three')).not.toHaveProperty('contextReset')
})

test('the caller is told after a restart too, and by the message that finds a warm process', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start()
  const { person, sessionId } = await held(stage)
  await using _ = person
  const branch = crypto.randomUUID()
  transcript(stage, branch, { forkedFrom: { sessionId, messageUuid: crypto.randomUUID() } })
  person.opens(branch)
  await stage.iris.event('session-held', ({ as }) => as === branch)
  await person.leaves()
  await stage.iris.event('session-released')
  await stage.iris.restart()
  await callTool(stage.iris, 'team_wake', { team: 'backend' })
  expect(await ask(stage.iris, 'backend', 'two')).toMatchObject({ contextReset: expect.stringContaining(branch) })
})

/** What Claude Code 2.1.330 writes after /clear while nothing is said. */
const unsaid = ['mode', 'file-history-snapshot', 'cost-state'].map((type) => ({ type }))

test.each([
  ['no transcript', []],
  ['a transcript without a message', unsaid],
])('a person who cleared the conversation and said nothing more, with %s, leaves it as it was', async (_, lines) => {
  await using stage = await Stage.start()
  const { person, sessionId } = await held(stage)
  await using __ = person
  const cleared = crypto.randomUUID()
  if (lines.length > 0) writeTranscript(stage, cleared, lines)
  person.opens(cleared)
  await stage.iris.event('session-held', ({ as }) => as === cleared)
  const turnId = await queued(stage, 'two')
  await person.leaves()
  const answer = await stage.status(turnId, 0)
  expect(answer).toMatchObject({ status: 'completed', sessionId })
  expect(answer).not.toHaveProperty('contextReset')
})

test('a person who cleared the conversation is followed also when its transcript is there before the first words', {
  tags: ['thorough'],
}, async () => {
  await using stage = await Stage.start({ script: remembers })
  const { person } = await held(stage)
  await using _ = person
  const cleared = crypto.randomUUID()
  writeTranscript(stage, cleared, unsaid)
  person.opens(cleared)
  await stage.iris.event('session-held', ({ as }) => as === cleared)
  transcript(stage, cleared, {})
  await person.leaves()
  expect(await ask(stage.iris, 'backend', 'two')).toMatchObject({
    sessionId: cleared,
    response: expect.stringContaining('said by hand'),
  })
})

test('a person who goes to another conversation leaves this one', { tags: ['thorough'] }, async () => {
  await using stage = await Stage.start()
  const { person, sessionId } = await held(stage)
  await using _ = person
  const other = crypto.randomUUID()
  transcript(stage, other, {})
  person.opens(other)
  expect(await ask(stage.iris, 'backend', 'two')).toMatchObject({ status: 'completed', sessionId })
  const second = await ask(stage.iris, 'mobile', 'one')
  person.opens(second.sessionId)
  await stage.iris.event('session-held', ({ as }) => as === second.sessionId)
})

/** A conversation that a person has had by hand. */
function transcript(stage: Stage, sessionId: string, more: object): void {
  const cwd = stage.iris.world.directory('backend')
  const line = { isSidechain: false, sessionId, cwd, timestamp: new Date().toISOString(), ...more }
  const [question, answer] = [crypto.randomUUID(), crypto.randomUUID()]
  const message = { id: 'm', role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'text', text: 'yes' }] }
  writeTranscript(stage, sessionId, [
    { ...line, type: 'user', uuid: question, parentUuid: null, message: { role: 'user', content: 'said by hand' } },
    { ...line, type: 'assistant', uuid: answer, parentUuid: question, message },
  ])
}

function writeTranscript(stage: Stage, sessionId: string, lines: readonly object[]): void {
  const slug = stage.iris.world.directory('backend').replace(/[^a-zA-Z0-9]/g, '-')
  const file = join(stage.iris.world.claudeDirectory, 'projects', slug, `${sessionId}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
}
