import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { stepwise } from '../../src/app/demo/script.ts'
import { type Cli, holds } from '../../src/app/probe/cli.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

describe.each(claudeVersions)('interrupting Claude Code %s', (version) => {
  let world: PinWorld
  let cli: Cli
  let started: string
  beforeAll(async () => {
    world = await pinWorld(version, (request) => {
      const { lastUserText } = request.conversation
      if (lastUserText === 'hang') return { stall: 'started' }
      if (lastUserText !== 'tool') return { text: `answer to ${lastUserText}` }
      const command = `touch ${started}; sleep 60`
      return stepwise({ toolUses: [{ name: 'Bash', input: { command } }] }, { text: 'done' })(request)
    })
    started = join(world.project, 'started')
    cli = world.start({ answer: pipeHost().answer })
    await cli.request(initialize)
  })
  beforeEach(() => rmSync(started, { force: true }))
  afterAll(() => world[Symbol.asyncDispose]())

  const resultSince = (since: number) => cli.line({ type: 'result' }, since)
  const textsSince = (since: number) =>
    cli.lines.slice(since).flatMap(({ isReplay, message }) => (isReplay ? [] : String(message?.content?.[0]?.text)))
  const interrupt = () => cli.request({ subtype: 'interrupt' })
  const interrupted: Record<string, unknown> = { '2.1.330': { still_queued: [] }, '2.1.197': {} }

  async function sayAndWaitForModel(text: string): Promise<number> {
    const since = cli.lines.length
    cli.say(text)
    await cli.line({ type: 'stream_event' }, since)
    return since
  }

  test('in the middle of a tool: asked for its context it answers, interrupted it ends the turn without an answer', async () => {
    const since = cli.lines.length
    cli.say('tool')
    await eventually(() => existsSync(started), 'the tool has started')
    expect(await cli.request({ subtype: 'get_context_usage' })).toMatchObject({
      totalTokens: expect.any(Number),
      maxTokens: expect.any(Number),
      percentage: expect.any(Number),
    })
    expect(cli.lines.slice(since).some(({ type }) => String(type) === 'result')).toBe(false)
    expect(await interrupt()).toEqual(interrupted[version])
    const result = await resultSince(since)
    expect(result).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_tools',
      errors: [expect.any(String)],
    })
    expect(result).not.toHaveProperty('result')
    expect(textsSince(since)).toContain('[Request interrupted by user for tool use]')
  })

  test('while the model speaks: the turn ends likewise, and the process goes on', async () => {
    const since = await sayAndWaitForModel('hang')
    await interrupt()
    expect(await resultSince(since)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_streaming',
    })
    expect(textsSince(since)).toContain('[Request interrupted by user]')
    expect((await cli.turn('next')).at(-1)).toMatchObject({ is_error: false, result: 'answer to next' })
  })

  test('when nothing runs: it is answered and does not touch the next message', async () => {
    expect(await interrupt()).toEqual(interrupted[version])
    expect((await cli.turn('next')).at(-1)).toMatchObject({ is_error: false, result: 'answer to next' })
  })

  test('before the message has begun: its answer says nothing of what follows (2.1.330: still queued, yet ended; 2.1.197: run)', async () => {
    const host = pipeHost()
    let release = () => {}
    const holding = world.start({
      // No turn begins before the tools of the pipe are known.
      answer(request, requestId) {
        const response = host.answer(request)
        if (!holds(request.message, { method: 'tools/list' })) return response
        release = () => holding.respond(requestId, response)
        return undefined
      },
    })
    await holding.request(initialize)
    const uuid = holding.say('early')
    await holding.line({ request: { message: { method: 'tools/list' } } })
    const answer = await holding.request({ subtype: 'interrupt' })
    expect(answer).toEqual({ '2.1.330': { still_queued: [uuid] }, '2.1.197': {} }[version])
    release()
    const ends = {
      '2.1.330': { is_error: true, terminal_reason: 'aborted_streaming' },
      '2.1.197': { is_error: false, result: 'answer to early' },
    }
    expect(await holding.line({ type: 'result' })).toMatchObject(ends[version])
  })
})
