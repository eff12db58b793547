import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { external, mainThread } from '../../src/base/protocol/pair.ts'
import { taggedProcesses } from '../../src/platform/machine/process-tag.ts'
import { transcriptText } from '../fake-claude/transcript-files.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import type { Script } from '../support/fake-claude.ts'
import { hurried } from '../support/hurried.ts'
import { deliveredUuids, effects } from '../support/oracle.ts'
import { Stage } from '../support/stage.ts'

const fromTeam = 'frontend'
type Rule = NonNullable<Script['rules']>[number]
type File = (name: string) => string

/** Nothing is in the transcript before a turn ends: a process that is slow to die does not change what the next one finds. */
const writesLate: Script = { flushDelayMs: 3_600_000 }

/** The first process that gets the message does this; a process that is asked to continue does too, and all others count. */
const firstTime =
  (steps: (file: File) => Rule['steps'], more = writesLate) =>
  (file: File): Script => ({
    ...more,
    rules: [
      { when: 'task', onceFile: file('first'), steps: steps(file) },
      { when: '<iris-continuation>', steps: [{ text: 'continued' }] },
      { steps: [{ text: 'turn {{turnNumber}}' }] },
    ],
  })

/** The messages given to Claude, and the reasons. */
function deliveries(stage: Stage): string[] {
  return stage.iris.rows('SELECT why FROM deliveries ORDER BY sequence').map(({ why }) => String(why))
}

/** The texts that Claude was given, in order. */
function given(stage: Stage): string[] {
  return stage.fake.oracle().flatMap((entry) => (entry.event === 'message' && entry.ran ? [entry.text] : []))
}

describe('a process that dies in the middle of a turn', () => {
  test('before anything of it was written down is replaced, and gets the same message under the same uuid', async () => {
    await using stage = await Stage.start({ script: firstTime(() => [{ partial: 'Half ' }, { kill: 'SIGKILL' }]) })
    const answer = await ask(stage.iris, 'backend', 'task', { fromTeam })
    expect(answer).toMatchObject({ status: 'completed', response: 'turn 1', delivered: true })
    const uuids = deliveredUuids(stage.fake.oracle())
    expect(uuids).toEqual([uuids[0], uuids[0]])
    expect(deliveries(stage)).toEqual(['first'])
  })

  test('when the message is in the transcript is replaced, and told to go on', async () => {
    const script = firstTime(() => [{ partial: 'Half ' }, { delayMs: 20 }, { kill: 'SIGKILL' }], { flushDelayMs: 0 })
    await using stage = await Stage.start({ script })
    const answer = await ask(stage.iris, 'backend', 'task', { fromTeam })
    expect(answer).toMatchObject({ status: 'completed', response: 'continued' })
    expect(deliveries(stage)).toEqual(['first', 'continue'])
    expect(new Set(deliveredUuids(stage.fake.oracle())).size).toBe(2)
    // Its conversation holds the message, which is therefore not repeated.
    expect(given(stage)[1]).toMatch(
      /^<iris-continuation>\nWork on the last message from frontend above .*\n.*\n<\/iris-continuation>$/,
    )
    expect(stage.starts()).toEqual(['start', 'resume'])
  })

  test('when a tool had its effect and the transcript knows nothing is told to go on, the message and the tool named', async () => {
    const script = firstTime((file) => [
      {
        tool: { name: 'Read', during: [{ appendFile: { path: file('effects'), line: 'once' } }, { kill: 'SIGKILL' }] },
      },
    ])
    await using stage = await Stage.start({ script })
    const answer = await ask(stage.iris, 'backend', 'task', { fromTeam })
    expect(answer).toMatchObject({ status: 'completed', response: 'continued' })
    expect(effects(stage.fake.oracle()).map(({ line }) => line)).toEqual(['once'])
    expect(given(stage)[1]).toMatch(/had started.*: Read\.[^]*<iris-message .*>\ntask\n/)
  })

  test('when the answer is complete in the transcript is not replaced: that is the answer', async () => {
    const script = firstTime(() => [{ text: 'All of it' }, { noResult: true }], { flushDelayMs: 0 })
    await using stage = await Stage.start({ script })
    const { iris } = stage
    const asked = ask(iris, 'backend', 'task', { fromTeam })
    const { pid, sessionId } = await iris.event('process-spawned')
    await eventually(() => transcriptText(iris.world.root, sessionId).includes('end_turn'), 'the answer is on disk')
    process.kill(pid, 'SIGKILL')
    expect(await asked).toMatchObject({ status: 'completed', response: 'All of it' })
    expect(stage.starts()).toEqual(['start'])
    expect(deliveries(stage)).toEqual(['first'])
  })

  test('with exit code 0 has not succeeded', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: firstTime(() => [{ partial: 'Half ' }, { exit: 0 }]) })
    const answer = await ask(stage.iris, 'backend', 'task', { fromTeam })
    expect(answer).toMatchObject({ status: 'completed', response: 'continued' })
    expect(await stage.iris.event('process-exited')).toMatchObject({ code: 0 })
  })

  test('again and again fails the turn, with the text of the last time and how it ended; the next message is well', async () => {
    const rules: Rule[] = [
      { when: 'task', steps: [{ partial: 'Half ' }, { stderr: 'out of\nmemory\n' }, { kill: 'SIGKILL' }] },
    ]
    await using stage = await Stage.start({ script: { ...writesLate, rules } })
    const { iris } = stage
    const ended = await hurried(stage, ask(iris, 'backend', 'task', { fromTeam }))
    expect(ended).toMatchObject({ status: 'failed', reason: 'process_died', partialResponse: 'Half ' })
    expect(ended.detail).toBe('claude ended by SIGKILL each of 4 times. memory')
    expect(stage.starts()).toHaveLength(4)
    const next = hurried(stage, ask(iris, 'backend', 'hello', { fromTeam }))
    expect(await next).toMatchObject({ status: 'completed' })
  })

  test('again and again after a tool had its effect leaves the turn in doubt, with the tool named', async () => {
    await using stage = await Stage.start({
      script: (file) => ({
        flushDelayMs: 0,
        rules: [
          {
            steps: [
              { tool: { name: 'Read', during: [{ appendFile: { path: file('effects'), line: 'done' } }] } },
              { kill: 'SIGKILL' },
            ],
          },
        ],
      }),
    })
    const doubt = await hurried(stage, ask(stage.iris, 'backend', 'task', { fromTeam }))
    expect(doubt).toMatchObject({ status: 'in_doubt', reason: 'interrupted', delivered: true })
    expect(doubt.detail).toMatch(/SIGKILL each of 4 times.*may or may not have had their effect: Read\./s)
    expect(effects(stage.fake.oracle())).toHaveLength(4)
  })

  test('does not mix up the messages behind it', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({
      script: firstTime(() => [{ kill: 'SIGKILL' }], { ...writesLate, rules: [] }),
    })
    const { iris } = stage
    const asked = ['task', 'second', 'third'].map((message) => ask(iris, 'backend', message, { fromTeam }))
    const answers = (await Promise.all(asked)).map(({ response }) => response)
    expect(answers).toEqual(['turn 1', 'turn 2', 'turn 3'])
    expect(given(stage).map((text) => text.split('\n')[1])).toEqual(['task', 'task', 'second', 'third'])
  })
})

describe('a process that dies at rest', () => {
  test('is noticed, and the next message resumes', { tags: ['thorough'] }, async () => {
    await using stage = await Stage.start({ script: firstTime(() => [{ text: 'turn 1' }], { flushDelayMs: 0 }) })
    const { iris } = stage
    await ask(iris, 'backend', 'task', { fromTeam })
    const { sessionId } = await ask(iris, 'backend', 'more', { fromTeam })
    const answers = () => transcriptText(iris.world.root, sessionId).split('end_turn').length - 1
    await eventually(() => answers() === 2, 'both answers are on disk')
    process.kill((await iris.event('process-spawned')).pid, 'SIGKILL')
    expect(await iris.event('process-terminated')).toMatchObject({ why: 'it exited' })
    expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ response: 'turn 3' })
    expect(stage.starts()).toEqual(['start', 'resume'])
  })

  test('in the instant in which a message is written to it is replaced, and the message comes to the new one', async () => {
    await using stage = await Stage.start({ script: firstTime(() => [{ text: 'well' }]) })
    const { iris } = stage
    await callTool(iris, 'team_wake', { team: 'backend' })
    const { pid } = await iris.event('process-spawned')
    process.kill(pid, 'SIGKILL')
    // In one tick, so that Iris is not told of it before.
    while (isRunning(pid)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    const { orchestrator } = iris.daemon.parts
    const id = orchestrator.ask({
      pair: { from: external, to: 'backend', thread: mainThread },
      message: 'task',
      waits: true,
      idempotencyKey: undefined,
      parent: undefined,
    })
    expect(await orchestrator.turn(id)?.settled).toMatchObject({ outcome: 'completed', answer: 'well' })
    expect(stage.starts()).toEqual(['start', 'start'])
  })
})

describe('a process that leaves something behind', () => {
  test('in a session of its own: it is ended with it', { tags: ['thorough'] }, async () => {
    const script = { rules: [{ steps: [{ setsidChild: { seconds: 600 } }, { text: 'left' }] }] }
    await using stage = await Stage.start({ script })
    const { iris, irisTag } = stage
    await ask(iris, 'backend', 'hello', { fromTeam })
    expect(await taggedProcesses(irisTag)).toHaveLength(2)
    await callTool(iris, 'team_sleep', { team: 'backend', fromTeam })
    expect(await taggedProcesses(irisTag)).toEqual([])
  })

  test('and dies: what it left is ended before another takes up the session', async () => {
    const steps: Rule['steps'] = [{ setsidChild: { seconds: 600 } }, { partial: 'Half ' }, { kill: 'SIGKILL' }]
    await using stage = await Stage.start({ script: firstTime(() => steps) })
    const { iris, irisTag } = stage
    expect(await ask(iris, 'backend', 'task', { fromTeam })).toMatchObject({ status: 'completed' })
    expect(await taggedProcesses(irisTag)).toHaveLength(1)
  })
})

test('a process that speaks of another conversation is not believed', async () => {
  const rules: Rule[] = [{ when: 'lie', wrongSessionId: randomUUID(), steps: [{ text: 'from elsewhere' }] }]
  await using stage = await Stage.start({ script: { rules } })
  const { iris } = stage
  const ended = await ask(iris, 'backend', 'lie', { fromTeam })
  expect(ended).toMatchObject({ status: 'failed', reason: 'session_mismatch' })
  expect(ended.detail).toContain(rules[0]!.wrongSessionId)
  expect(ended).not.toHaveProperty('response')
  expect(await iris.event('process-terminated')).toMatchObject({ teamName: 'backend' })
  expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
})

test('a process that speaks of another conversation in a turn of its own is ended, reported, and not believed', {
  tags: ['thorough'],
}, async () => {
  const foreign = randomUUID()
  const rules: Rule[] = [
    { when: 'news', wrongSessionId: foreign, steps: [{ text: 'from elsewhere' }] },
    { when: 'hello', onceFile: '', steps: [{ text: 'at home' }, { unsolicitedTurn: { prompt: 'news' } }] },
  ]
  const script = (file: File): Script => ({
    flushDelayMs: 0,
    rules: rules.map((rule) => (rule.onceFile === undefined ? rule : { ...rule, onceFile: file('once') })),
  })
  await using stage = await Stage.start({ script })
  const { iris } = stage
  const first = await ask(iris, 'backend', 'hello', { fromTeam })
  expect(first).toMatchObject({ status: 'completed', response: 'at home' })
  const fault = await iris.event('process-error')
  expect(fault).toMatchObject({ teamName: 'backend', error: expect.stringContaining(foreign) })
  expect(await iris.event('process-terminated')).toMatchObject({ why: fault.error })
  const next = await ask(iris, 'backend', 'hello again', { fromTeam })
  expect(next).toMatchObject({ status: 'completed', sessionId: first.sessionId })
})

test('a result that comes twice answers once', async () => {
  const rules: Rule[] = [
    { when: 'first', steps: [{ text: 'one' }, { duplicateResult: true }] },
    { when: 'second', steps: [{ text: 'two' }] },
  ]
  await using stage = await Stage.start({ script: { rules } })
  const { iris } = stage
  const answers = await Promise.all(['first', 'second'].map((message) => ask(iris, 'backend', message, { fromTeam })))
  expect(answers.map(({ response }) => response)).toEqual(['one', 'two'])
  expect(stage.starts()).toEqual(['start'])
})

/** Not even as a zombie: those have no command line. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/cmdline`
  return existsSync(path) && readFileSync(path, 'latin1') !== ''
}
