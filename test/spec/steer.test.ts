import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heldText, type Script } from '../../src/app/demo/script.ts'
import { consoleMeta } from '../../src/base/protocol/daemon.ts'
import { transcriptText } from '../fake-claude/transcript-files.ts'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { claudeBinary, claudeVersions, contractVersions, eitherOf } from '../support/real-claude.ts'
import type { WorldOptions } from '../support/world.ts'

let gate = Promise.withResolvers<void>()
const tests = 'And run the tests too.'
const later = 'And this too.'
let laterIsRead = Promise.withResolvers<void>()
const hold = 'touch "$HOME/held"; while [ ! -e "$HOME/go" ]; do sleep 0.1; done'

/** "work" uses a tool that holds until the test opens it; "talk" holds in the middle of its text. */
const script: Script = ({ body, conversation: { lastUserText, step } }) => {
  const said = JSON.stringify(body.messages)
  if (lastUserText.includes('\nwork\n') && step === 0 && !said.includes('was interrupted'))
    return { toolUses: [{ name: 'Bash', input: { command: hold } }] }
  if (lastUserText.includes(later)) {
    laterIsRead.resolve()
    return { stream: heldText('never ', new Promise(() => {}), 'said') }
  }
  if (lastUserText.includes('\ntalk\n')) return { stream: heldText('well', gate.promise, ' said.') }
  return { text: said.includes(tests) ? 'done, with the tests' : 'done' }
}

let iris: TestIris

/** Starts Iris for the tests of a group. */
function withIris({ settings, ...options }: Pick<WorldOptions, 'claude' | 'settings'>): void {
  beforeAll(async () => {
    const teams = {
      backend: { grantPermission: 'yes', dangerous: true },
      mobile: { onInterrupted: 'report' },
      guarded: {},
    }
    iris = await TestIris.start({ ...options, script, settings: { ...settings, queueLength: 4 }, teams })
  })
  afterAll(() => iris[Symbol.asyncDispose]())
}

const file = (name: string) => join(iris.world.root, name)
const quick = (message: string, more: object = {}) =>
  callTool(iris, 'quick_message', { toTeam: 'backend', message, ...more })
const look = (turnId: unknown) => callTool(iris, 'message_status', { turnId })
const end = (turnId: unknown) => callTool(iris, 'message_status', { turnId, timeout: 0 })
/** Begins "work", whose tool holds. */
const working = async (thread: string) => {
  for (const name of ['held', 'go']) rmSync(file(name), { force: true })
  const { turnId } = await quick('work', { thread })
  await eventually(() => existsSync(file('held')), 'the tool that holds')
  return turnId
}

describe.each(contractVersions)('a message that joins the running one, with Claude Code %s', (version) => {
  withIris({ settings: { claudePath: claudeBinary(version) } })

  test('is read between two steps; both askers get one answer, and hear that it is for both', async () => {
    const turnId = await working('one')
    const steering = { thread: 'one', whenBusy: 'steer', idempotencyKey: 'steer-1' }
    expect(await quick(tests, steering)).toMatchObject({ turnId, status: 'async', steered: [{ message: tests }] })
    expect(await quick(tests, steering)).toMatchObject({ turnId, steered: [{ message: tests }] })
    writeFileSync(file('go'), '')
    expect(await end(turnId)).toMatchObject({
      status: 'completed',
      response: 'done, with the tests',
      steered: [{ message: tests }],
    })
    expect(
      iris.rows(`SELECT count(*) AS n FROM turns JOIN team_sessions s ON s.id = session WHERE thread = 'one'`),
    ).toEqual([{ n: 1 }])
    expect(await ask(iris, 'backend', 'and now?', { thread: 'one' })).not.toHaveProperty('steered')
  })

  test('comes too late for a turn that only talks: its own answer follows in the same one', async () => {
    gate = Promise.withResolvers()
    const { turnId } = await quick('talk', { thread: 'two' })
    await eventually(async () => (await look(turnId))['partialResponse'] === 'well', 'its first words')
    const answer = ask(iris, 'backend', tests, { thread: 'two', whenBusy: 'steer' })
    await eventually(async () => (await look(turnId))['steered'] !== undefined, 'the message that joined')
    gate.resolve()
    const { response, ...rest } = await answer
    expect(rest).toMatchObject({ status: 'completed', turnId })
    expect(response).toMatch(/^well said\.\s+done, with the tests$/)
    expect(await ask(iris, 'backend', 'and now?', { thread: 'two' })).toMatchObject({ status: 'completed' })
  })

  test('is not lost when the process dies', async () => {
    const turnId = await working('three')
    await quick(tests, { thread: 'three', whenBusy: 'steer' })
    const { pid } = await iris.event('process-spawned', ({ thread }) => thread === 'three')
    process.kill(pid, 'SIGKILL')
    writeFileSync(file('go'), '')
    expect(await end(turnId)).toMatchObject({ status: 'completed', response: 'done, with the tests' })
  })

  // From here on the versions do not differ.
  if (!claudeVersions.includes(version)) return

  test('that a hook of the project stops is waited for no longer, and the answer says so', async () => {
    const blocks = `if grep -q '${later}'; then echo 'not now' >&2; exit 2; fi`
    const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: blocks }] }] }
    mkdirSync(join(iris.world.directory('guarded'), '.claude'))
    writeFileSync(join(iris.world.directory('guarded'), '.claude/settings.json'), JSON.stringify({ hooks }))
    gate = Promise.withResolvers<void>()
    const { turnId } = await quick('talk', { toTeam: 'guarded' })
    await eventually(async () => (await look(turnId))['partialResponse'] === 'well', 'its first words')
    expect(await quick(later, { toTeam: 'guarded', whenBusy: 'steer' })).toMatchObject({ turnId })
    gate.resolve()
    const stopped = 'A hook of the project stopped a message that joined this one, before the agent read it.'
    expect(await end(turnId)).toMatchObject({ status: 'completed', response: 'well said.', detail: stopped })
    expect(await ask(iris, 'guarded', 'next')).toMatchObject({ status: 'completed', response: 'done' })
  })
})

describe.each(claudeVersions)('a message that joins the running one of Claude Code %s', (version) => {
  withIris(eitherOf(version))

  test('is not taken for answered with onInterrupted: report, if the process died after the first answer', {
    tags: ['thorough'],
  }, async () => {
    gate = Promise.withResolvers()
    laterIsRead = Promise.withResolvers()
    const { turnId, sessionId } = await quick('talk', { toTeam: 'mobile' })
    await eventually(async () => (await look(turnId))['partialResponse'] === 'well', 'its first words')
    expect(await quick(later, { toTeam: 'mobile', whenBusy: 'steer' })).toMatchObject({ turnId })
    gate.resolve()
    await laterIsRead.promise
    // A process that dies before its first answer is on disk has read nothing: the message is given again.
    const onDisk = () => transcriptText(iris.world.root, String(sessionId)).includes('well said.')
    await eventually(onDisk, 'the first answer is on disk')
    const { pid } = await iris.event('process-spawned', ({ to }) => to === 'mobile')
    process.kill(pid, 'SIGKILL')
    expect(await end(turnId)).toMatchObject({
      status: 'in_doubt',
      reason: 'interrupted',
      partialResponse: expect.stringContaining('well said.'),
      detail: expect.stringContaining(`Messages that joined it may not have been read: "${later}"`),
    })
  })

  test('brings the answer to both sessions that asked, once each', async () => {
    const consoleOf = (name: string) => ({ meta: { [consoleMeta]: `${name}-${version}` } })
    const [one, two] = [consoleOf('one'), consoleOf('two')]
    for (const name of ['held', 'go']) rmSync(file(name), { force: true })
    const asking = { toTeam: 'backend', thread: 'eight' }
    const { turnId } = await callTool(iris, 'quick_message', { ...asking, message: 'work' }, one)
    await eventually(() => existsSync(file('held')), 'the tool that holds')
    const joining = { ...asking, message: tests, whenBusy: 'steer' }
    expect(await callTool(iris, 'quick_message', joining, two)).toMatchObject({ turnId })
    writeFileSync(file('go'), '')
    await end(turnId)
    for (const each of [one, two]) {
      const taken = await callTool(iris, 'late_answers', { take: true }, each)
      expect(taken).toMatchObject({ pushes: [{ turnId, text: expect.stringContaining('done, with the tests') }] })
      expect(await callTool(iris, 'late_answers', { take: true }, each)).toMatchObject({ pushes: [] })
    }
    await callTool(iris, 'message_status', { turnId }, one)
    expect(await look(turnId)).toMatchObject({ unread: true })
    await callTool(iris, 'message_status', { turnId }, two)
    expect(await look(turnId)).not.toHaveProperty('unread')
  })

  test('waits like any other where no message runs, and may bring nothing of its own', async () => {
    const first = await ask(iris, 'backend', 'hello', { thread: 'four', whenBusy: 'steer' })
    expect(first).toMatchObject({ status: 'completed', response: 'done' })
    expect(first).not.toHaveProperty('steered')
    const typed = { toTeam: 'backend', message: tests, whenBusy: 'steer', responseSchema: {} }
    expect(await refusal(iris, 'send_message', typed)).toMatchObject({ code: 'invalid_input' })
  })

  test('is part of what a retry of the turn asks', { tags: ['thorough'] }, async () => {
    const turnId = await working('six')
    expect(await quick(tests, { thread: 'six', whenBusy: 'steer' })).toMatchObject({ turnId })
    await callTool(iris, 'session_cancel', { turnId })
    expect(await end(turnId)).toMatchObject({ status: 'cancelled' })
    writeFileSync(file('go'), '')
    const { turnId: retried } = await callTool(iris, 'retry_message', { turnId })
    expect(iris.rows(`SELECT message FROM turns WHERE id = '${String(retried)}'`)).toEqual([
      { message: `work\n\n${tests}` },
    ])
    expect(await end(retried)).toMatchObject({ status: 'completed', response: 'done, with the tests' })
  })
})
