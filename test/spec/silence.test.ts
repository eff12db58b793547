import { describe, expect, test } from 'vitest'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { isElsewhere } from '../support/is-elsewhere.ts'
import { deliveredUuids } from '../support/oracle.ts'
import { probeMs, Stage } from '../support/stage.ts'
import { isNightly } from '../support/tier.ts'

const responseTimeout = 120_000
const maxSilence = 600_000
const sessionInitTimeout = 25_000
const hour = 3_600_000
/** Lines may still be on their way when the clock jumps. */
const moment = 1000
const fromTeam = 'frontend'

describe('a process that no longer answers', () => {
  test.each([
    ['is stopped', { stop: true }],
    ['hangs', { hang: true }],
  ] as const)('that %s is ended, the text so far is kept, and the next message resumes', async (_, act) => {
    const rules = [{ when: 'freeze', steps: [{ partial: 'Half an ans' }, act] }]
    await using stage = await Stage.start({ script: { flushDelayMs: 0, rules } })
    const { iris, clock } = stage
    const first = await ask(iris, 'backend', 'hello', { fromTeam })
    const asked = ask(iris, 'backend', 'freeze', { fromTeam })
    await stage.said('Half an ans')
    await clock.jump(responseTimeout + moment)
    expect(clock.pending(probeMs)).toBe(1)
    await clock.jump(probeMs)
    const ended = await asked
    expect(ended).toMatchObject({
      status: 'timed_out',
      reason: 'hung',
      partialResponse: 'Half an ans',
      delivered: true,
    })
    expect(ended).not.toHaveProperty('response')
    expect(await iris.event('process-exited')).toMatchObject({ signal: 'SIGKILL' })

    const next = await ask(iris, 'backend', 'next', { fromTeam })
    expect(next).toMatchObject({ status: 'completed', sessionId: first.sessionId })
    expect(next).not.toHaveProperty('contextReset')
    expect(stage.starts()).toEqual(['start', 'resume'])
  })

  test('that never says a word of a new session is ended after sessionInitTimeout', {
    tags: ['thorough'],
  }, async () => {
    await using stage = await Stage.start({ settings: { sessionInitTimeout } })
    const { iris, clock } = stage
    await callTool(iris, 'team_wake', { team: 'backend', fromTeam })
    const { pid } = await iris.event('process-spawned')
    process.kill(pid, 'SIGSTOP')
    const asked = ask(iris, 'backend', 'hello', { fromTeam })
    await eventually(() => clock.pending(sessionInitTimeout) === 1, 'the message is written')
    await clock.jump(sessionInitTimeout)
    expect(await asked).toMatchObject({ status: 'failed', reason: 'init_timeout', delivered: false })
    expect(await ask(iris, 'backend', 'again', { fromTeam })).toMatchObject({ status: 'completed' })
  })

  test('because it reads no more input gets a long message and is ended all the same', async () => {
    const rules = [{ when: 'deaf', steps: [{ text: 'I stop listening' }, { ignoreStdin: true }] as const }]
    // No other timer has this length.
    const settings = { responseTimeout: 77_000 }
    const script = { rules: [{ ...rules[0]!, steps: [...rules[0]!.steps] }] }
    await using stage = await Stage.start({ script, settings })
    const { iris, clock } = stage
    await ask(iris, 'backend', 'deaf', { fromTeam })
    const asked = ask(iris, 'backend', 'x'.repeat(1_000_000), { fromTeam })
    await eventually(() => clock.pending(settings.responseTimeout) === 1, 'the message is written')
    await clock.jump(settings.responseTimeout + moment)
    await clock.jump(probeMs)
    expect(await asked).toMatchObject({ status: 'timed_out', reason: 'hung', delivered: false })
    expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
  })
})

describe('a process that is silent and well', () => {
  test('each line starts the clock from zero, and nobody is asked whether he lives', {
    tags: ['thorough'],
  }, async () => {
    const script = (file: (name: string) => string) => ({
      rules: [
        {
          steps: [
            { partial: 'one ' },
            { waitForFile: file('two') },
            { partial: 'two ' },
            { waitForFile: file('three') },
            { text: 'three' },
          ],
        },
      ],
    })
    await using stage = await Stage.start({ script })
    const { iris, clock, fake } = stage
    const asked = ask(iris, 'backend', 'slowly', { fromTeam })
    for (const [text, gate] of [
      ['one ', 'two'],
      ['two ', 'three'],
    ] as const) {
      await stage.said(text)
      await clock.jump(responseTimeout - 10_000)
      fake.open(gate)
    }
    expect(await asked).toMatchObject({ status: 'completed', response: 'one two three' })
    expect(clock.everSet(probeMs)).toBe(0)
  })

  // An hour over a link is seven hundred heartbeats. hosts-links.test.ts has one, where the link is lost meanwhile.
  const hasTime = !isElsewhere || isNightly

  test.runIf(hasTime)('a tool may be at work for an hour', async () => {
    const script = (file: (name: string) => string) => ({
      rules: [
        {
          steps: [
            { tool: { name: 'Read', during: [{ touchFile: file('started') }, { waitForFile: file('done') }] } },
            { text: 'built' },
          ],
        },
      ],
    })
    await using stage = await Stage.start({ script })
    const { iris, fake } = stage
    const heard: string[] = []
    const call = { onProgress: (message: string) => heard.push(message) }
    const asked = ask(iris, 'backend', 'build', { fromTeam }, call)
    await eventually(() => fake.exists('started'), 'the tool is at work')
    await stage.clock.jump(hour)
    const turnId = (await iris.event('turn-accepted')).turnId
    expect(await stage.status(turnId)).toMatchObject({ status: 'async', delivered: true })
    expect(heard.filter((message) => message === `Turn ${turnId} continues.`)).toHaveLength(hour / 15_000)
    fake.open('done')
    expect(await asked).toMatchObject({ status: 'completed', response: 'built' })
    expect(stage.starts()).toEqual(['start'])
  })

  test.runIf(hasTime)('it may wait for another team for an hour', { tags: ['thorough'] }, async () => {
    const script = (file: (name: string) => string) => ({
      rules: [
        { when: 'to="mobile"', steps: [{ tool: { name: 'Read', during: [{ waitForFile: file('thought') }] } }] },
        {
          steps: [
            { mcpCall: { name: 'send_message', arguments: { toTeam: 'mobile', message: 'think', timeout: 0 } } },
            { text: 'mobile has thought' },
          ],
        },
      ],
    })
    await using stage = await Stage.start({ script })
    const { iris, fake } = stage
    // Nobody waits for it: each wait would have timers of its own.
    const { turnId } = await ask(iris, 'backend', 'ask mobile', { fromTeam, timeout: -1 })
    await eventually(() => deliveredUuids(fake.oracle()).length === 2, 'both are at work')
    await stage.clock.jump(hour)
    fake.open('thought')
    expect(await stage.status(turnId, 0)).toMatchObject({ status: 'completed', response: 'mobile has thought' })
  })
})

describe('a model that says nothing for maxSilence', () => {
  test('is interrupted, its text so far is kept, and its process takes the next message', async () => {
    const script = (file: (name: string) => string) => ({
      rules: [{ when: 'stall', steps: [{ partial: 'Let me th' }, { waitForFile: file('never') }] }],
    })
    await using stage = await Stage.start({ script })
    const { iris } = stage
    const asked = ask(iris, 'backend', 'stall', { fromTeam })
    const turnId = await stage.said('Let me th')
    await stage.clock.jump(maxSilence - responseTimeout)
    expect(await stage.status(turnId)).toMatchObject({ status: 'async', partialResponse: 'Let me th' })
    await stage.passSilentlyUntil(asked)
    const ended = await asked
    expect(ended).toMatchObject({ status: 'timed_out', reason: 'no_progress', partialResponse: 'Let me th' })
    expect(ended).not.toHaveProperty('response')
    expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
    expect(stage.starts()).toEqual(['start'])
  })

  test('may have answered all the same: the transcript has the answer of a lost result line', async () => {
    const rules = [{ when: 'mute', steps: [{ text: 'The whole answer' }, { noResult: true as const }] }]
    await using stage = await Stage.start({ script: { flushDelayMs: 0, rules } })
    const { iris } = stage
    const asked = ask(iris, 'backend', 'mute', { fromTeam })
    // The last of its lines.
    await iris.event('turn-message', ({ message }) => JSON.stringify(message).includes('"message_stop"'))
    // Nothing runs in it, so its interrupt has no result; it is not trusted any more.
    await stage.clock.jump(maxSilence)
    await stage.passSilentlyUntil(asked)
    expect(await asked).toMatchObject({ status: 'completed', response: 'The whole answer' })
    expect(await ask(iris, 'backend', 'hello', { fromTeam })).toMatchObject({ status: 'completed' })
    expect(stage.starts()).toEqual(['start', 'resume'])
  })
})
