import { describe, expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { type EndingSigns, EndingSignsReader, isHookEvent, noSigns, RunningHooks } from './ending-signs.ts'
import { apiErrors, promptEnds, stopReasons, subtypes, terminalReasons } from './ending-tables.ts'
import { endingOf, isKeptOut, isTooLong, requestEnding, wasInterrupted } from './endings.ts'
import { joined, toResult } from './result.ts'

/** A result as both builds print it: with a subtype, a stop reason and its turns. */
function result(fields: Record<string, unknown> = {}) {
  const line = { type: 'result', subtype: 'success', is_error: false, result: 'forty-two', num_turns: 1 }
  return toResult({ ...line, stop_reason: 'end_turn', terminal_reason: 'completed', ...fields })
}

function signsOf(...lines: readonly object[]): EndingSigns {
  const reader = new EndingSignsReader()
  for (const line of lines) reader.take(line as Line)
  return reader.signs
}

const system = (subtype: string, fields: object): Line => ({ type: 'system', subtype, ...fields })
const hook = (event: string, fields: object): Line =>
  system('hook_response', { hook_id: 'h', hook_event: event, hook_name: `${event}:Bash`, stdout: '', ...fields })
const says: Line = { type: 'assistant', message: { model: 'claude', content: [] } }
const refused = (error: string): Line => ({ type: 'assistant', error, message: { model: '<synthetic>', content: [] } })
const failure = { is_error: true, result: 'API Error: no', stop_reason: 'stop_sequence' }

describe('the tables', () => {
  const reasonOf = (fields: Record<string, unknown>, signs = noSigns) => endingOf(result(fields), signs).reason

  test.each(Object.entries(terminalReasons))('%s, with and without is_error', (terminal_reason, { means }) => {
    const isAnswer = means === 'whole' || means === 'by stop reason'
    expect(reasonOf({ terminal_reason })).toBe(isAnswer ? null : means)
    expect(reasonOf({ ...failure, terminal_reason })).toBe(isAnswer ? 'turn_error' : means)
  })

  test.each(Object.entries(subtypes))('%s, where a build names no terminal reason', (subtype, { means }) => {
    const expected = means === 'by stop reason' ? 'turn_error' : means
    expect(reasonOf({ ...failure, terminal_reason: undefined, subtype })).toBe(expected)
  })

  test.each(Object.entries(stopReasons))('a turn that completed with %s', (stop_reason, { means }) => {
    expect(reasonOf({ stop_reason })).toBe(means === 'whole' ? null : means)
  })

  test.each(Object.entries(promptEnds))('a prompt that was %s', (kind, { means }) => {
    const prompt = { kind, reason: 'no', isKept: true }
    const ended = result({ num_turns: 0, stop_reason: null, terminal_reason: undefined, result: 'of the hook' })
    expect(endingOf(ended, { ...noSigns, prompt }).reason).toBe(means)
  })

  test.each(Object.entries(apiErrors))('the error %s, in the result or in a line before', (error, { means }) => {
    expect(reasonOf({ ...failure, api_error: error })).toBe(means)
    expect(reasonOf(failure, signsOf(refused(error)))).toBe(means)
  })

  test('a value that they do not know leaves an answer an answer, with a note', () => {
    for (const field of ['terminal_reason', 'stop_reason']) {
      expect(endingOf(result({ [field]: 'of_tomorrow' }))).toEqual({
        reason: null,
        detail: expect.stringContaining(`(${field}: of_tomorrow)`),
      })
    }
    expect(reasonOf({ terminal_reason: 'toString' })).toBeNull()
    expect(reasonOf({ ...failure, terminal_reason: 'of_tomorrow' })).toBe('turn_error')
  })
})

test('no stop reason is a cut where the model was asked, and nothing where it was not', () => {
  expect(endingOf(result({ stop_reason: null }))).toMatchObject({ reason: 'cut' })
  expect(endingOf(result({ stop_reason: null, num_turns: 0 }))).toEqual({ reason: null, detail: null })
  expect(endingOf(result({ stop_reason: undefined }))).toEqual({ reason: null, detail: null })
})

test.each(['max_output_tokens', 'authentication_failed', 'rate_limit', 'invalid_request', 'server_error', 'unknown'])(
  'an error that the CLI names %s is no turn_error',
  (error) => {
    expect(endingOf(result(failure), signsOf(refused(error))).reason).not.toBe('turn_error')
  },
)

test('a status of the API counts before the name of the error, and a refusal before a status that is no login or limit', () => {
  const reasonOf = (fields: object): unknown => endingOf(result({ ...failure, ...fields })).reason
  expect(reasonOf({ api_error_status: 429, api_error: 'max_output_tokens' })).toBe('api_rate_limited')
  expect(reasonOf({ stop_reason: 'refusal', api_error_status: 400 })).toBe('model_refusal')
  expect(reasonOf({ terminal_reason: 'image_error', api_error_status: 413 })).toBe('api_error')
})

test('a stream that broke again and again is a cut, and not one that never began', () => {
  const lost = (words: string) => endingOf(result({ ...failure, result: words, api_error: 'connection_failed' }))
  expect(lost('API Error: Connection lost mid-response. The response above may be incomplete.')).toEqual({
    reason: 'cut',
    detail: expect.stringContaining('Ask in the same conversation for the rest'),
  })
  expect(lost('API Error: Unable to connect to API').reason).toBe('api_error')
})

test('one result that is unfinished makes the whole unfinished', () => {
  const [cut, whole] = [result({ stop_reason: 'pause_turn', result: 'A' }), result({ result: 'B' })]
  expect(endingOf(joined([cut, whole])).reason).toBe('paused')
  expect(endingOf(joined([whole, cut])).reason).toBe('paused')
  expect(endingOf(joined([whole, whole])).reason).toBeNull()
})

test('too long is what the API or the CLI says so, in every way that they say it', () => {
  for (const terminal_reason of ['prompt_too_long', 'blocking_limit'])
    expect(isTooLong(result({ ...failure, terminal_reason }))).toBe(true)
  expect(isTooLong(result({ ...failure, result: 'Prompt is too long' }))).toBe(true)
  expect(isTooLong(result({ result: 'Prompt is too long' }))).toBe(false)
})

describe('a hook', () => {
  const blocks = { stdout: '{"decision":"block","reason":"of the hook"}' }

  test.each([
    ['JSON that stops', { stdout: '{"continue":false,"stopReason":"of the hook"}' }, 'of the hook', true],
    ['JSON that blocks', blocks, 'of the hook', false],
    ['exit code 2', { exit_code: 2, stderr: 'of the hook\n' }, 'of the hook', false],
    ['no reason', { stdout: '{"continue":false}' }, undefined, true],
  ])('says by %s why it stops', (_, fields, reason, isEnd) => {
    const said = { event: 'PreToolUse', name: 'PreToolUse:Bash', reason, isEnd }
    expect(signsOf(hook('PreToolUse', fields)).hook).toEqual(said)
  })

  test('that lets everything go on is no sign, and neither is one before the last words of the model', () => {
    for (const fields of [{ stdout: '{"continue":true}' }, { stdout: 'ok' }, { stdout: '{' }, { exit_code: 1 }])
      expect(signsOf(hook('PostToolUse', fields)).hook).toBeUndefined()
    expect(signsOf(hook('Stop', blocks), says).hook).toBeUndefined()
  })

  test('that stopped the turn is named with its reason, if it is known', () => {
    const stopped = result({ terminal_reason: 'hook_stopped', stop_reason: 'tool_use', result: '' })
    expect(endingOf(stopped, signsOf(hook('PostToolBatch', blocks))).detail).toMatch(
      /^A PostToolBatch hook \(PostToolBatch:Bash\) stopped the turn: "of the hook"\. What the agent had said/,
    )
    expect(endingOf(stopped).detail).toMatch(/^A hook stopped the turn\. What the agent/)
  })

  test('that blocked a prompt is read from what either build says, without the prompt', () => {
    const content = 'UserPromptSubmit operation blocked by hook:\nof the hook\n\nOriginal prompt: SECRET'
    const ended = result({ num_turns: 0, stop_reason: null, result: content })
    const outcome = { kind: 'blocked_by_hook', prompt_kept: false, reason: 'of the hook' }
    const line = system('informational', { prevent_continuation: true, content })
    for (const signs of [
      signsOf(hook('UserPromptSubmit', blocks), line),
      signsOf({ ...line, prompt_submit_outcome: outcome }),
    ]) {
      const { reason, detail } = endingOf(ended, signs)
      expect(reason).toBe('blocked_by_hook')
      expect(detail).toContain('hook blocked the message: "of the hook". The agent has not received the message.')
      expect(detail).not.toContain('SECRET')
      expect(isKeptOut(ended, signs)).toBe(true)
    }
    const stopped = signsOf({ ...line, content: 'Operation stopped by hook: closed' })
    expect(endingOf(ended, stopped)).toMatchObject({
      reason: 'stopped_by_hook',
      detail: expect.stringMatching(/"closed"/),
    })
    expect(isKeptOut(ended, stopped)).toBe(false)
  })

  test('is counted as running until it answers', () => {
    const running = new RunningHooks()
    const started = system('hook_started', {
      hook_id: 'h',
      hook_name: 'SessionStart:startup',
      hook_event: 'SessionStart',
    })
    running.take(started)
    expect(running.names).toEqual(['SessionStart:startup'])
    running.take(hook('SessionStart', {}))
    expect(running.names).toEqual([])
    expect(isHookEvent(started)).toBe(false)
    expect(isHookEvent(hook('Stop', {}))).toBe(true)
  })
})

describe('what Iris asks for after a message', () => {
  const prompt = { kind: 'blocked_by_hook', reason: 'no requests.', isKept: false }
  const kept = result({ num_turns: 0, stop_reason: null, terminal_reason: undefined, result: 'of the hook' })

  test.each([
    ['interruption', 'Claude Code had ended in the middle of the turn', 'to go on'],
    ['pause', 'The API paused the reply', 'to go on'],
    ['limit', 'The account was over its limit, or its login was refused, in the middle of the turn', 'to go on'],
    ['value', 'The agent returned no value that matches the requested schema', 'for the value'],
  ] as const)('and a hook blocks (%s) is named', (request, before, what) => {
    const { reason, detail } = requestEnding(kept, { ...noSigns, prompt }, request) ?? {}
    expect(reason).toBe('blocked_by_hook')
    expect(detail).toContain(`${before}, and a UserPromptSubmit hook blocked Iris's request ${what}: "no requests".`)
    expect(detail).toContain('The agent has the message itself')
  })

  test('and that comes through, or fails by itself, ends like any message', () => {
    expect(requestEnding(result({}), { ...noSigns, prompt }, 'pause')).toBeUndefined()
    expect(requestEnding(kept, noSigns, 'pause')).toBeUndefined()
    expect(requestEnding(result({ ...failure, num_turns: 0 }), { ...noSigns, prompt }, 'pause')).toBeUndefined()
  })
})

test('a turn that was interrupted has no answer, with and without is_error', () => {
  expect(wasInterrupted(result({ terminal_reason: 'aborted_streaming', result: '' }))).toBe(true)
  expect(wasInterrupted(result({ terminal_reason: 'aborted_tools', result: '' }))).toBe(true)
  expect(wasInterrupted(result(failure))).toBe(true)
  expect(wasInterrupted(result({}))).toBe(false)
})
