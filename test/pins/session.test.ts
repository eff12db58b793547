import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

describe.each(claudeVersions)('a session of Claude Code %s', (version) => {
  let world: PinWorld
  let cli: Cli
  let other: Cli
  const sessionId = crypto.randomUUID()
  const first = crypto.randomUUID()
  beforeAll(async () => {
    world = await pinWorld(version, ({ conversation }) => ({ text: `answer to ${conversation.lastUserText}` }))
    cli = world.start({ args: ['--session-id', sessionId] })
    other = world.start()
    await cli.turn('first', first)
    await other.turn('something else')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const turnsOfModel = () => world.model.requests.turns
  const echoOf = (uuid: string, since: number, one = cli) => one.line({ type: 'user', isReplay: true, uuid }, since)
  const results = (lines: readonly Line[]) => lines.filter(({ type }) => String(type) === 'result')

  test('a uuid sent twice is echoed again without a time, and not run', async () => {
    const [since, before] = [cli.lines.length, turnsOfModel()]
    cli.say('first', first)
    const echo = await echoOf(first, since)
    expect(echo).not.toHaveProperty('timestamp')
    await cli.turn('second')
    expect(results(cli.lines.slice(since))).toMatchObject([{ result: 'answer to second' }])
    expect(turnsOfModel()).toBe(before + 1)
  })

  test('the session id of a transcript cannot be created again, not even while its process lives', async () => {
    const again = world.start({ args: ['--session-id', sessionId] })
    expect(await again.exited).toEqual({ code: 1, signal: null })
    expect(again.stderr).toBe(`Error: Session ID ${sessionId} is already in use.\n`)
    expect(again.lines).toEqual([])
  })

  test('an unknown session cannot be resumed: exit 1 and a result without a turn', async () => {
    const unknown = crypto.randomUUID()
    const resumed = world.start({ args: ['--resume', unknown] })
    expect(await resumed.exited).toEqual({ code: 1, signal: null })
    const message = `No conversation found with session ID: ${unknown}`
    expect(resumed.stderr).toBe(`${message}\n`)
    expect(resumed.lines).toMatchObject([
      { type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 0, errors: [message] },
    ])
  })

  test('what was sent before a kill and a resume is echoed and not run, and the conversation goes on', async () => {
    const last = () => String(world.transcript(sessionId).at(-1)?.message?.content?.[0]?.text)
    await eventually(() => last() === 'answer to second', 'the transcript on disk')
    await cli.kill()
    const resumed = world.start({ args: ['--resume', sessionId] })
    const before = turnsOfModel()
    resumed.say('first', first)
    await echoOf(first, 0, resumed)
    const lines = await resumed.turn('third')
    expect(results(resumed.lines)).toHaveLength(1)
    expect(lines.at(-1)).toMatchObject({ result: 'answer to third', session_id: sessionId })
    expect(turnsOfModel()).toBe(before + 1)
    expect(world.model.requests.recent.at(-1)?.conversation.userTexts).toEqual(['first', 'second', 'third'])
    await resumed.end()
  })

  test('a line that is not JSON ends the process', async () => {
    const resumed = world.start({ args: ['--resume', sessionId] })
    await resumed.request({ subtype: 'initialize' })
    resumed.write('this is not JSON\n')
    expect(await resumed.exited).toEqual({ code: 1, signal: null })
    expect(resumed.stderr).toMatch(/^Error parsing streaming input line/)
  })

  test('/compact as a message is echoed under its uuid by 2.1.330 and under others by 2.1.197', async () => {
    // Of less, 2.1.197 makes no summary.
    for (const text of ['one', 'two']) await other.turn(text)
    const uuid = crypto.randomUUID()
    const lines = await other.turn('/compact', uuid)
    expect(lines.at(-1)).toMatchObject({ subtype: 'success', is_error: false, result: '', num_turns: 0 })
    expect(lines.find(({ subtype }) => String(subtype) === 'compact_boundary')).toMatchObject({
      compact_metadata: { trigger: 'manual', pre_tokens: expect.any(Number), post_tokens: expect.any(Number) },
    })
    const echoed = lines.filter(({ isReplay }) => isReplay).map((line) => String(line.uuid))
    expect(echoed.includes(uuid)).toBe({ '2.1.330': true, '2.1.197': false }[version])
    expect(world.model.requests.sideRequests).toBe(1)
  })

  test('every line that names a session names its own, also after an interrupt, a compaction and a resume', async () => {
    const own = crypto.randomUUID()
    const [created, resumed] = ['--session-id', '--resume'].map((flag) => [flag, own])
    const names: string[][] = []
    for (const args of [created!, resumed!]) {
      const one = world.start({ args })
      await one.turn('hello')
      const since = one.lines.length
      one.say('to be interrupted')
      await one.line({ type: 'system', subtype: 'init' }, since)
      await one.request({ subtype: 'interrupt' })
      await one.line({ type: 'result' }, since)
      await one.turn('/compact')
      await one.turn('hello again')
      await one.end()
      names.push(one.lines.flatMap((line) => ('session_id' in line ? [String(line['session_id'])] : [])))
    }
    expect(names.map((each) => [...new Set(each)])).toEqual([[own], [own]])
  })
})
