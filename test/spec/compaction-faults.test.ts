import { expect, test } from 'vitest'
import type { Rule } from '../fake-claude/script.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { Stage, type StageOptions } from '../support/stage.ts'

const fromTeam = 'frontend'
const responseTimeout = 120_000
const probeTimeout = 10_000
/** More than eight tenths of a window of 200 tokens, of four characters each. */
const fill = 'x'.repeat(700)
const small = { contextWindow: 200, flushDelayMs: 0 }

const start = (rules: (file: (name: string) => string) => Rule[], more: StageOptions = {}) =>
  Stage.start({ script: (file) => ({ ...small, rules: [...rules(file), { steps: [{ text: 'answer' }] }] }), ...more })

function failures({ iris }: Stage): unknown[] {
  return iris.rows('SELECT failure FROM compactions ORDER BY id').map(({ failure }) => failure)
}

function status({ iris }: Stage): unknown {
  return iris.rows(`SELECT status FROM team_sessions WHERE status <> 'archived'`)[0]?.['status']
}

test('a claude that dies while it compacts is replaced, and the next message finds the conversation compacted', async () => {
  await using stage = await start((file) => [
    { when: '/compact', onceFile: file('died'), steps: [{ kill: 'SIGKILL' }] },
  ])
  const { sessionId } = await ask(stage.iris, 'backend', fill, { fromTeam })
  await stage.iris.event('session-compaction-failed')
  expect(status(stage)).toBe('compact_pending')
  const next = await ask(stage.iris, 'backend', 'next', { fromTeam })
  expect(next).toMatchObject({ status: 'completed', response: 'answer', sessionId })
  expect(next).not.toHaveProperty('contextReset')
  expect(failures(stage)).toEqual(['its process ended', null])
  expect(status(stage)).toBe('active')
})

test('a claude that hangs while it compacts is ended, and what waited is answered', async () => {
  await using stage = await start(
    (file) => [{ when: '/compact', onceFile: file('hung'), steps: [{ touchFile: file('hangs') }, { hang: true }] }],
    { settings: { responseTimeout } },
  )
  const { iris, clock, fake } = stage
  const first = await ask(iris, 'backend', fill, { fromTeam })
  await eventually(() => fake.exists('hangs'), 'it hangs')
  const asked = ask(iris, 'backend', 'next', { fromTeam })
  await iris.event('turn-accepted', ({ turnId }) => turnId !== first.turnId)
  await clock.jump(responseTimeout + probeTimeout + 1)
  expect(await asked).toMatchObject({ status: 'completed', response: 'answer' })
  expect(failures(stage)).toEqual(['its process hung', null])
})

test('a restart in the middle of a compaction is no failure of it: it is done at the next use', async () => {
  await using stage = await start((file) => [
    {
      when: '/compact',
      onceFile: file('once'),
      steps: [{ touchFile: file('compacts') }, { waitForFile: file('never') }],
    },
  ])
  const { iris, fake } = stage
  const { sessionId } = await ask(iris, 'backend', fill, { fromTeam })
  await eventually(() => fake.exists('compacts'), 'it compacts')
  await iris.restart()
  expect(failures(stage)).toEqual([])
  expect(status(stage)).toBe('compact_pending')
  const next = await ask(iris, 'backend', 'next', { fromTeam })
  expect(next).toMatchObject({ status: 'completed', response: 'answer', sessionId })
  expect(failures(stage)).toEqual([null])
})

test('a conversation that was compacted before the crash is not compacted once more', async () => {
  await using stage = await start(() => [])
  const { iris } = stage
  await ask(iris, 'backend', 'small', { fromTeam })
  await iris.daemon.stop(0)
  stage.change(`UPDATE team_sessions SET status = 'compact_pending', context_tokens = 190, context_window = 200`)
  await iris.restart()
  expect(await ask(iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'answer' })
  expect(failures(stage)).toEqual([])
  expect(status(stage)).toBe('active')
})

test('put to sleep while it compacts, a conversation is compacted when it is used again', async () => {
  await using stage = await start((file) => [
    {
      when: '/compact',
      onceFile: file('once'),
      steps: [{ touchFile: file('compacts') }, { waitForFile: file('never') }],
    },
  ])
  const { iris, fake } = stage
  const { sessionId } = await ask(iris, 'backend', fill, { fromTeam })
  await eventually(() => fake.exists('compacts'), 'it compacts')
  expect(await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })).toMatchObject({ status: 'asleep' })
  expect(await ask(iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'answer', sessionId })
  expect(failures(stage)).toEqual([null])
  expect(status(stage)).toBe('active')
})

test('deleted while it compacts, a conversation stays archived, and the next message is in another one', async () => {
  await using stage = await start((file) => [
    { when: '/compact', steps: [{ touchFile: file('compacts') }, { waitForFile: file('never') }] },
  ])
  const { iris, fake } = stage
  const first = await ask(iris, 'backend', fill, { fromTeam })
  await eventually(() => fake.exists('compacts'), 'it compacts')
  expect(await callTool(iris, 'session_delete', { team: 'backend', fromTeam })).toMatchObject({
    processTerminated: true,
  })
  const second = await ask(iris, 'backend', 'next', { fromTeam })
  expect(second).toMatchObject({ status: 'completed', response: 'answer' })
  expect(second.sessionId).not.toBe(first.sessionId)
  expect(iris.rows('SELECT status FROM team_sessions ORDER BY id')).toEqual([
    { status: 'archived' },
    { status: 'active' },
  ])
  expect(failures(stage)).toEqual([])
})

test('while something runs in its background a conversation is left as it is, and compacted afterwards', async () => {
  await using stage = await start((file) => [
    { when: 'leave', steps: [{ text: 'left' }, { backgroundTask: { id: 'job', endsAfterFile: file('over') } }] },
    { when: 'job', steps: [{ text: 'the job is over' }] },
  ])
  const { iris, fake } = stage
  await ask(iris, 'backend', `${fill} leave`, { fromTeam })
  expect(await ask(iris, 'backend', 'next', { fromTeam })).toMatchObject({ response: 'answer' })
  expect(failures(stage)).toEqual([])
  fake.open('over')
  await eventually(
    () => fake.oracle().some((entry) => entry.event === 'answer' && entry.text === 'the job is over'),
    'the job is told of',
  )
  await ask(iris, 'backend', 'last', { fromTeam })
  await iris.event('session-compacted')
  expect(failures(stage)).toEqual([null])
})

test('a compaction of the CLI itself, in the middle of a turn, is recorded and told too', async () => {
  const boundary = JSON.stringify({
    type: 'system',
    subtype: 'compact_boundary',
    compact_metadata: { trigger: 'auto', pre_tokens: 170, post_tokens: 20 },
  })
  await using stage = await start(() => [{ steps: [{ rawStdout: `${boundary}\n` }, { text: 'answer' }] }])
  const { iris } = stage
  const { sessionId } = await ask(iris, 'backend', 'hello', { fromTeam })
  expect(await iris.event('session-compacted')).toMatchObject({ sessionId, beforeTokens: 170, afterTokens: 20 })
  expect(iris.rows('SELECT before_tokens, after_tokens, failure FROM compactions')).toEqual([
    { before_tokens: 170, after_tokens: 20, failure: null },
  ])
})
