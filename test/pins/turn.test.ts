import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticationFailure, overloadedFailure, rateLimitFailure } from '../../src/app/demo/script.ts'
import { type Cli, type Line } from '../../src/app/probe/cli.ts'
import { type PinWorld, pinWorld } from '../support/pin-world.ts'
import { claudeVersions } from '../support/real-claude.ts'

const failures = {
  401: { ...authenticationFailure.error, word: 'authentication_failed' },
  429: { ...rateLimitFailure.error, word: 'rate_limit' },
  529: { ...overloadedFailure.error, word: 'server_error' },
}
const statuses = Object.keys(failures).map(Number) as (keyof typeof failures)[]

/** A line's kind in one word; repeated ones are left out, and what tells of the process: test/pins/subagents.test.ts. */
function kinds(lines: readonly Line[]): string[] {
  const ofTurn = lines.filter(({ subtype }) => String(subtype) !== 'session_state_changed')
  const all = ofTurn.map(({ type, subtype, state, isReplay, event }) =>
    String(isReplay ? 'echo' : (event?.type ?? state ?? subtype ?? type)),
  )
  return all.filter((kind, n) => kind !== all[n - 1])
}

describe.each(claudeVersions)('a turn of Claude Code %s', (version) => {
  let world: PinWorld
  let cli: Cli
  beforeAll(async () => {
    world = await pinWorld(version, ({ conversation: { lastUserText } }) => {
      const status = statuses.find((known) => lastUserText.includes(String(known)))
      return status === undefined ? { text: 'fine' } : { error: failures[status] }
    })
    cli = world.start()
    await cli.request({ subtype: 'initialize' })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('its lines come in one order: init, echo with the first output of the model, answer, result', async () => {
    const since = cli.lines.length
    const lines = await cli.turn('plain')
    const beginning = ['message_start', 'content_block_start', 'content_block_delta']
    const end = ['assistant', 'content_block_stop', 'message_delta', 'message_stop', 'success']
    expect(kinds(lines)).toEqual(
      {
        '2.1.330': ['queued', 'started', 'init', 'status', 'echo', ...beginning, ...end],
        '2.1.197': ['init', 'status', ...beginning, 'echo', ...end],
      }[version],
    )
    // The next turn brings what 2.1.330 prints after the result.
    await cli.turn('next')
    expect(kinds(cli.lines.slice(since + lines.length))[0]).toBe({ '2.1.330': 'completed', '2.1.197': 'init' }[version])
  })

  test('the echo is the message with its uuid and a time', async () => {
    const uuid = crypto.randomUUID()
    const lines = await cli.turn('echo me', uuid)
    expect(lines.find(({ isReplay }) => isReplay)).toEqual({
      type: 'user',
      isReplay: true,
      uuid,
      message: { role: 'user', content: [{ type: 'text', text: 'echo me' }] },
      parent_tool_use_id: null,
      session_id: expect.any(String),
      timestamp: expect.any(String),
    })
  })

  test('the result has the answer, the usage and the window of the model, and on 2.1.330 the uuid of the message', async () => {
    const uuid = crypto.randomUUID()
    const result = (await cli.turn('plain', uuid)).at(-1)
    expect(result).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      api_error_status: null,
      result: 'fine',
      stop_reason: 'end_turn',
      terminal_reason: 'completed',
      permission_denials: [],
      total_cost_usd: expect.any(Number),
      usage: {
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        cache_read_input_tokens: expect.any(Number),
        cache_creation_input_tokens: expect.any(Number),
      },
    })
    expect(Object.values(result?.modelUsage ?? {})).toMatchObject([{ contextWindow: 1_000_000 }])
    expect(result?.user_message_uuids).toEqual({ '2.1.330': [uuid], '2.1.197': undefined }[version])
    expect(result).not.toHaveProperty('origin')
  })

  test.each(statuses)(
    'when the API fails with %i the echo stands before a result that says success and is_error',
    async (status) => {
      const lines = await cli.turn(`fail with ${status}`)
      const ends = { '2.1.330': ['queued', 'started', 'init', 'status'], '2.1.197': ['init', 'status'] }[version]
      expect(kinds(lines).filter((kind) => kind !== 'completed' && kind !== 'cancelled')).toEqual([
        ...ends,
        'echo',
        'assistant',
        'success',
      ])
      expect(lines.at(-2)).toMatchObject({
        error: failures[status].word,
        message: { model: '<synthetic>', stop_reason: 'stop_sequence' },
      })
      expect(lines.at(-1)).toMatchObject({
        subtype: 'success',
        is_error: true,
        api_error_status: status,
        result: expect.stringMatching(/^(API Error: |Invalid API key · Fix external API key$)/),
        terminal_reason: { '2.1.330': 'api_error', '2.1.197': 'completed' }[version],
      })
      expect(lines.at(-1)?.api_error_type).toBe({ '2.1.330': failures[status].type, '2.1.197': undefined }[version])
    },
  )

  test('after a failed turn the process is usable, and exits 1 only if the last turn failed', async () => {
    expect((await cli.turn('plain')).at(-1)).toMatchObject({ is_error: false, result: 'fine' })
    expect(await cli.end()).toEqual({ code: 0, signal: null })
    const other = world.start()
    await other.turn('fail with 401')
    expect(await other.end()).toEqual({ code: 1, signal: null })
  })

  test('a retry is announced with its cause, and the echo comes only after the last one', async () => {
    const retrying = world.start({ env: { CLAUDE_CODE_MAX_RETRIES: '1' } })
    const lines = await retrying.turn('fail with 529')
    expect(lines.find(({ subtype }) => String(subtype) === 'api_retry')).toMatchObject({
      type: 'system',
      attempt: 1,
      max_retries: 1,
      retry_delay_ms: expect.any(Number),
      error_status: 529,
      error: 'overloaded',
    })
    expect(kinds(lines).slice(-4)).toEqual(['api_retry', 'echo', 'assistant', 'success'])
  })
})
