import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filter } from 'rxjs'
import { describe, expect, test } from 'vitest'
import { aProgram } from '../../src/kernel/call/principal.ts'
import { homePaths } from '../../src/platform/config/home.ts'
import { taggedProcesses } from '../../src/platform/machine/process-tag.ts'
import { transcriptPath } from '../fake-claude/transcript-files.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { hurried } from '../support/hurried.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { Stage } from '../support/stage.ts'
import { firstIn } from '../support/tier.ts'

const fromTeam = 'frontend'
const pair = { team: 'backend', fromTeam }
const spawnTimeout = 20_000
const counting = { flushDelayMs: 0, rules: [{ steps: [{ text: 'turn {{turnNumber}}' }] }] }

describe('a claude that does not start', () => {
  test('fails the turn with the last line it said, is tried under two ids a message, and works when it is well again', async () => {
    const script = (file: (name: string) => string) => ({
      exitAtStart: { code: 1, stderr: 'warning: x\nInvalid API key. ENOENT\n', unlessFile: file('well') },
    })
    await using stage = await Stage.start({ script })
    const { iris, fake } = stage
    const ended = await hurried(stage, ask(iris, 'backend', 'hello', { fromTeam }))
    expect(ended).toMatchObject({ status: 'failed', reason: 'session_creation_failed', delivered: false })
    expect(ended.detail).toContain('claude ended with code 1: Invalid API key. ENOENT.')
    expect(ended.detail).not.toContain('warning')
    const refused = fake.oracle().filter(({ event }) => event === 'refused')
    expect(new Set(refused.map(({ session }) => session)).size).toBe(2)
    expect(await iris.event('process-error')).toMatchObject({ teamName: 'backend' })
    fake.open('well')
    const well = await hurried(stage, ask(iris, 'backend', 'hello', { fromTeam }))
    expect(well).toMatchObject({ status: 'completed' })
    // Nothing was lost: nobody had answered yet.
    expect(well).not.toHaveProperty('contextReset')
    const rows = iris.rows('SELECT session_id, status, origin, archived_why FROM team_sessions ORDER BY id')
    expect(rows).toEqual([
      {
        session_id: refused[0]?.session,
        status: 'archived',
        origin: 'new',
        archived_why: expect.stringContaining('it could not be created: '),
      },
      { session_id: well.sessionId, status: 'active', origin: 'new', archived_why: null },
    ])
  })

  test('and never answers is ended after spawnTimeout', async () => {
    await using stage = await Stage.start({ script: { neverInitialize: true }, settings: { spawnTimeout } })
    const { iris, clock, irisTag } = stage
    const asked = ask(iris, 'backend', 'hello', { fromTeam })
    const woken = refusal(iris, 'team_wake', { team: 'mobile', fromTeam })
    for (const starts of [2, 4]) {
      await eventually(() => clock.everSet(spawnTimeout) === starts && clock.pending(spawnTimeout) === 2, 'both start')
      await clock.jump(spawnTimeout)
    }
    const ended = await asked
    expect(ended).toMatchObject({ status: 'failed', reason: 'session_creation_failed', delivered: false })
    expect(ended.detail).toContain('was not ready within 20000 ms')
    const remedy = expect.stringContaining('spawnTimeout')
    expect(await woken).toMatchObject({ code: 'session_creation_failed', remedy })
    expect(await taggedProcesses(irisTag)).toEqual([])
  })

  test('because it refuses to be initialised says why', async () => {
    await using stage = await Stage.start({ script: { initializeError: 'hooks are forbidden here' } })
    expect(await refusal(stage.iris, 'team_wake', pair)).toMatchObject({
      code: 'session_creation_failed',
      message: expect.stringContaining('hooks are forbidden here'),
    })
  })

  test('because there is none at its path says so', async () => {
    const claudePath = '/nowhere/claude'
    await using stage = await Stage.start({ teams: { frontend: {}, backend: { claudePath }, mobile: {} } })
    const { iris } = stage
    const expected = { code: 'claude_not_found', message: 'There is no program at /nowhere/claude.' }
    expect(await refusal(iris, 'team_wake', pair)).toMatchObject(expected)
    const ended = await ask(iris, 'backend', 'hello', { fromTeam })
    expect(ended).toMatchObject({ status: 'failed', reason: 'spawn_failed' })
    expect(ended.detail).toContain('There is no program at /nowhere/claude. Correct claudePath in config.yaml')
    expect(await ask(iris, 'mobile', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
  })

  test('because nobody may run it says so', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start()
    const { iris, fake } = stage
    const claudePath = fake.file('claude')
    writeFileSync(claudePath, '#!/bin/sh\n')
    chmodSync(claudePath, 0o600)
    iris.world.writeConfig({ settings: { claudePath } })
    await iris.restart()
    expect(await refusal(iris, 'team_wake', pair)).toMatchObject({ code: 'claude_not_found' })
  })

  test('because no PATH has it names it', { tags: ['thorough'] }, async () => {
    const claudePath = 'claude-that-nobody-installed'
    await using stage = await Stage.start({ teams: { frontend: {}, backend: { claudePath } } })
    expect(await refusal(stage.iris, 'team_wake', pair)).toMatchObject({
      code: 'claude_not_found',
      message: expect.stringContaining(claudePath),
    })
  })
})

test('a claude that is slow to start is started once for all who ask', async () => {
  await using stage = await Stage.start({ script: { ...counting, startDelayMs: 300 } })
  const { iris } = stage
  const asked = ['1', '2', '3'].map((message) => ask(iris, 'backend', message, { fromTeam }))
  const woken = callTool(iris, 'team_wake', pair)
  expect((await Promise.all(asked)).map(({ response }) => response)).toEqual(['turn 1', 'turn 2', 'turn 3'])
  expect(await woken).toMatchObject({ status: 'awake' })
  expect(stage.starts()).toEqual(['start'])
})

describe('a team whose directory', () => {
  test.each(
    firstIn<readonly [string, (path: string) => void]>([
      ['is gone', () => {}],
      ['has become a file', (path) => writeFileSync(path, '')],
    ]),
  )('%s is told so, and answers when it is back', async (_, instead) => {
    await using stage = await Stage.start({ script: counting })
    const { iris } = stage
    const path = iris.world.directory('backend')
    await ask(iris, 'backend', 'hello', { fromTeam })
    await callTool(iris, 'team_sleep', pair)
    renameSync(path, `${path}.away`)
    instead(path)
    expect(await refusal(iris, 'team_wake', pair)).toMatchObject({
      code: 'team_directory_missing',
      message: `The directory of team "backend" no longer exists: ${path}.`,
    })
    const ended = await ask(iris, 'backend', 'hello', { fromTeam })
    expect(ended).toMatchObject({ status: 'failed', reason: 'spawn_failed', delivered: false })
    expect(ended.detail).toContain(path)
    rmSync(path, { force: true })
    renameSync(`${path}.away`, path)
    expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ response: 'turn 2' })
  })
})

describe('a conversation whose transcript', () => {
  /** One answered turn, its process asleep, and where the transcript is. */
  async function answeredOnce(stage: Stage) {
    const { iris } = stage
    const first = await ask(iris, 'backend', 'hello', { fromTeam })
    await callTool(iris, 'team_sleep', pair)
    const path = transcriptPath(iris.world.root, first.sessionId)
    if (path === undefined) throw new Error('no transcript')
    return { first, path }
  }

  test.each(
    firstIn<readonly [string, (path: string, home: string) => void]>([
      ['is gone under both its names', loseBoth],
      ['is empty', (path: string) => writeFileSync(path, '')],
      ['is no transcript', (path: string) => writeFileSync(path, '\0\x01garbage')],
    ]),
  )('%s is begun afresh: archived, announced, and the caller is told', async (_, damage) => {
    await using stage = await Stage.start({ script: counting })
    const { iris } = stage
    const { first, path } = await answeredOnce(stage)
    damage(path, iris.world.home)
    const second = await ask(iris, 'backend', 'and again', { fromTeam })
    expect(second).toMatchObject({ status: 'completed', response: 'turn 1', contextReset: expect.any(String) })
    expect(second.sessionId).not.toBe(first.sessionId)
    expect(await iris.event('session-archived')).toMatchObject({ sessionId: first.sessionId, why: second.contextReset })
    expect(iris.rows('SELECT session_id, status, archived_why FROM team_sessions ORDER BY id')).toEqual([
      { session_id: first.sessionId, status: 'archived', archived_why: second.contextReset },
      { session_id: second.sessionId, status: 'active', archived_why: null },
    ])

    const third = await ask(iris, 'backend', 'once more', { fromTeam })
    expect(third).toMatchObject({ response: 'turn 2', sessionId: second.sessionId })
    expect(third).not.toHaveProperty('contextReset')
    await iris.restart()
    expect(await stage.status(second.turnId)).toMatchObject({ contextReset: second.contextReset })
    expect(await stage.status(first.turnId)).toMatchObject({ status: 'completed', sessionId: first.sessionId })
  })

  test('is gone is news for the next caller, when the message that found it is cancelled before it is delivered', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ script: counting })
    const { iris } = stage
    const { path } = await answeredOnce(stage)
    loseBoth(path, iris.world.home)
    const auth = { principal: aProgram, team: undefined, parent: undefined } as const
    const call = { auth, signal: new AbortController().signal, progress: () => {}, idempotencyKey: undefined }
    const archived = iris.events$.pipe(filter(({ type }) => type === 'session-archived')).subscribe(() => {
      archived.unsubscribe()
      // In the same moment: the process is not there yet.
      void iris.daemon.operations.call('session_cancel', pair, call)
    })
    const { turnId } = await callTool(iris, 'quick_message', { toTeam: 'backend', message: 'never mind', fromTeam })
    const { why } = await iris.event('session-archived')
    expect(await stage.status(String(turnId))).toMatchObject({ status: 'cancelled', delivered: false })
    const next = await ask(iris, 'backend', 'and again', { fromTeam })
    expect(next).toMatchObject({ status: 'completed', response: 'turn 1', contextReset: why })
  })

  test('lost its last answer goes on, and the caller is told', async () => {
    await using stage = await Stage.start({ script: counting })
    const { iris } = stage
    await ask(iris, 'backend', 'hello', { fromTeam })
    const second = await ask(iris, 'backend', 'lost', { fromTeam })
    await callTool(iris, 'team_sleep', pair)
    const path = transcriptPath(iris.world.root, second.sessionId)!
    const lines = readFileSync(path, 'utf8').split('\n')
    const lost = lines.findIndex((line) => line.includes(`"uuid":"${second.turnId}"`))
    writeFileSync(path, `${lines.slice(0, lost).join('\n')}\n`)
    const third = await ask(iris, 'backend', 'and now?', { fromTeam })
    expect(third).toMatchObject({
      response: 'turn 2',
      sessionId: second.sessionId,
      contextReset: expect.stringContaining('last answer'),
    })
    await iris.restart()
    expect(await stage.status(third.turnId)).toMatchObject({ contextReset: third.contextReset })
  })

  test('has a torn last line goes on as if nothing had been', async () => {
    await using stage = await Stage.start({ script: counting })
    const { iris } = stage
    const { first, path } = await answeredOnce(stage)
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"type":"user","uu`)
    const second = await ask(iris, 'backend', 'and again', { fromTeam })
    expect(second).toMatchObject({ response: 'turn 2', sessionId: first.sessionId })
    expect(second).not.toHaveProperty('contextReset')
  })

  test('was torn in its very first line, before any answer, is no obstacle', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: counting })
    const { iris, fake } = stage
    const woken = await callTool(iris, 'team_wake', pair)
    await callTool(iris, 'team_sleep', pair)
    const path = join(dirname(await someTranscript(stage)), `${String(woken['sessionId'])}.jsonl`)
    writeFileSync(path, '{"type":"user","uu')
    expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ response: 'turn 1' })
    expect(deliveredUuids(fake.oracle())).toHaveLength(2)
  })
})

function loseBoth(path: string, home: string): void {
  rmSync(path)
  rmSync(homePaths(home).transcripts, { recursive: true, force: true })
}

/** A transcript of `backend`, wherever it keeps them. */
async function someTranscript({ iris }: Stage): Promise<string> {
  const { sessionId } = await ask(iris, 'backend', 'elsewhere', { fromTeam: 'mobile' })
  const path = await eventually(() => transcriptPath(iris.world.root, sessionId), 'the transcript is on disk')
  mkdirSync(dirname(path), { recursive: true })
  return path
}
