import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticationFailure, stepwise } from '../../src/app/demo/script.ts'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { initialize, pipeHost } from '../../src/app/probe/pipe-host.ts'
import { eventually } from '../support/eventually.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { type ClaudeVersion, claudeVersions } from '../support/real-claude.ts'

describe.each(claudeVersions)('the transcript of Claude Code %s', (version) => {
  let world: PinWorld
  let started: string
  let sweeps: Promise<boolean[]>
  beforeAll(async () => {
    // They mostly wait, and so run beside the rest.
    sweeps = Promise.all([survivesSweep(version, []), survivesSweep(version, ['--settings', '{}'])])
    sweeps.catch(() => {})
    world = await pinWorld(version, (request) => {
      const { lastUserText } = request.conversation
      const bash = (command: string) => ({ name: 'Bash', input: { command } })
      switch (lastUserText) {
        case 'fail':
          return authenticationFailure
        case 'sleep':
          // 2.1.330 refuses a command that is only a sleep, before the hook is asked.
          return stepwise({ toolUses: [bash(`touch ${started}; sleep 60`)] }, { text: 'done' })(request)
        case 'hang':
          return { stall: 'started' }
        case 'call':
          return stepwise({ toolUses: [{ name: 'mcp__iris__echo', input: {} }] }, { text: 'done' })(request)
        default:
          return stepwise({ thinking: 'hm', text: 'I look.', toolUses: [bash('echo seen')] }, { text: 'done' })(request)
      }
    })
    started = join(world.project, 'started')
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const asked = crypto.randomUUID()
  /** Says one thing in a new session, does something about it, and reads what the CLI left when it is gone. */
  async function left(text: string, about: (cli: Cli) => Promise<unknown>): Promise<Line[]> {
    const sessionId = crypto.randomUUID()
    const host = pipeHost()
    host.call = () => undefined
    const cli = world.start({ answer: host.answer, args: ['--session-id', sessionId] })
    await cli.request(initialize)
    expect(world.transcriptFile(sessionId)).toBeUndefined()
    cli.say(text, asked)
    await about(cli)
    await cli.end()
    const file = String(world.transcriptFile(sessionId))
    expect(file.startsWith(join(world.home, '.claude', 'projects'))).toBe(true)
    return world.transcript(sessionId)
  }
  const blocks = (lines: readonly Line[]) =>
    lines.map(({ type, message }) => [String(type), message?.stop_reason, message?.content?.[0]])
  const toolUseId = expect.stringMatching(/^toolu_/)
  const question = (text: string) => ['user', undefined, { type: 'text', text }]
  const ended = (cli: Cli) => cli.line({ type: 'result' })

  test('a complete answer: the message under its uuid, one line for each block, end_turn on the last one', async () => {
    const lines = await left('look', ended)
    expect(lines[0]).toMatchObject({ type: 'user', uuid: asked, isSidechain: false })
    expect(blocks(lines)).toEqual([
      question('look'),
      ['assistant', 'tool_use', { type: 'thinking', thinking: 'hm', signature: expect.any(String) }],
      ['assistant', 'tool_use', { type: 'text', text: 'I look.' }],
      ['assistant', 'tool_use', { type: 'tool_use', id: toolUseId, name: 'Bash', input: { command: 'echo seen' } }],
      ['user', undefined, { type: 'tool_result', tool_use_id: toolUseId, content: 'seen', is_error: false }],
      ['assistant', 'end_turn', { type: 'text', text: 'done' }],
    ])
  })

  test('a failure of the API: an assistant that is no model', async () => {
    const lines = await left('fail', ended)
    expect(lines.at(-1)).toMatchObject({
      type: 'assistant',
      isApiErrorMessage: true,
      message: { model: '<synthetic>', stop_reason: 'stop_sequence' },
    })
  })

  test('an interrupted tool: a result that says rejected, and a line of its own', async () => {
    const lines = await left('sleep', async (cli) => {
      await eventually(() => existsSync(started), 'the tool has started')
      await cli.request({ subtype: 'interrupt' })
      await ended(cli)
    })
    expect(blocks(lines).slice(-2)).toEqual([
      [
        'user',
        undefined,
        {
          type: 'tool_result',
          tool_use_id: toolUseId,
          is_error: true,
          content: expect.stringMatching(/^The user doesn't want to proceed with this tool use\./),
        },
      ],
      question('[Request interrupted by user for tool use]'),
    ])
  })

  test('an interrupted model: nothing of what it had begun to say', async () => {
    const lines = await left('hang', async (cli) => {
      await cli.line({ type: 'stream_event' })
      await cli.request({ subtype: 'interrupt' })
      await ended(cli)
    })
    expect(blocks(lines)).toEqual([question('hang'), question('[Request interrupted by user]')])
  })

  test('stdin closed with a call of a tool open: a broken result, and after it an answer that looks complete', async () => {
    const lines = await left('call', (cli) => cli.line({ request: { message: { method: 'tools/call' } } }))
    const broken = {
      '2.1.330': expect.stringMatching(/^The tool call was interrupted before a result was received\./),
      '2.1.197': 'Tool permission stream closed before response received',
    }[version]
    expect(blocks(lines).slice(-2)).toEqual([
      ['user', undefined, { type: 'tool_result', tool_use_id: toolUseId, is_error: true, content: broken }],
      ['assistant', 'end_turn', { type: 'text', text: 'done' }],
    ])
    expect(lines.at(-2)?.toolDenialKind).toBe({ '2.1.330': 'interrupted', '2.1.197': undefined }[version])
  })

  test('45 days old it is deleted at the start of another process, but not with the settings of Iris', async () => {
    expect(await sweeps).toEqual([true, false])
  })
})

/** Starts a process beside an old transcript; true if that is still there after the sweep, 5 s later. */
async function survivesSweep(version: ClaudeVersion, args: string[]): Promise<boolean> {
  await using world = await pinWorld(version, () => ({ text: 'ok' }))
  const directory = join(world.home, '.claude', 'projects', '-elsewhere')
  const file = join(directory, `${crypto.randomUUID()}.jsonl`)
  mkdirSync(directory, { recursive: true })
  writeFileSync(file, '{"type":"user"}\n')
  const longAgo = Date.now() / 1000 - 45 * 24 * 3600
  utimesSync(file, longAgo, longAgo)
  await world.start({ args }).request({ subtype: 'initialize' })
  // Written after a sweep: there is at most one a day.
  await eventually(() => existsSync(join(world.home, '.claude', '.last-cleanup')), 'the sweep')
  return existsSync(file)
}
