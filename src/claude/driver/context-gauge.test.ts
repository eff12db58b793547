import { expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { ContextGauge, toShare } from './context-gauge.ts'

const usage = (input: number, written: number, read: number) => ({
  input_tokens: input,
  cache_creation_input_tokens: written,
  cache_read_input_tokens: read,
  output_tokens: 7,
})
const init: Line = { type: 'system', subtype: 'init', model: 'large' }
const says = (counts: object, more: object = {}): Line => ({
  type: 'assistant',
  message: { model: 'large', usage: counts },
  parent_tool_use_id: null,
  ...more,
})
const result = (windows: Record<string, number>): Line => ({
  type: 'result',
  usage: usage(900, 900, 900),
  modelUsage: Object.fromEntries(Object.entries(windows).map(([name, contextWindow]) => [name, { contextWindow }])),
})

function read(...lines: Line[]) {
  const gauge = new ContextGauge()
  for (const line of lines) gauge.take(line)
  return gauge.share
}

test('what counts is the last call of the turn, cache included, and the window of the conversation its own model', () => {
  const turn = [init, says(usage(1, 2, 3)), says(usage(10, 20, 30)), result({ small: 5000, large: 200, other: 9000 })]
  expect(read(...turn)).toEqual({ tokens: 60, window: 200 })
})

test('of models that are not the one named the largest window counts', () => {
  expect(read(init, says(usage(1, 0, 0)), result({ a: 200, b: 1000 }))).toEqual({ tokens: 1, window: 1000 })
})

test('a subagent, and what the CLI says itself, do not count', () => {
  const subagent = says(usage(500, 0, 0), { parent_tool_use_id: 'toolu_1' })
  const synthetic: Line = { type: 'assistant', message: { model: '<synthetic>', usage: usage(0, 0, 0) } }
  expect(read(init, says(usage(8, 0, 0)), subagent, synthetic, result({ large: 200 }))).toEqual({
    tokens: 8,
    window: 200,
  })
})

test('nothing is known before the first whole turn, nor after a compaction until the model is called again', () => {
  const boundary: Line = { type: 'system', subtype: 'compact_boundary' }
  expect(read(init, says(usage(1, 0, 0)))).toBeUndefined()
  const whole = [init, says(usage(1, 0, 0)), result({ large: 200 })]
  expect(read(...whole, boundary, result({ large: 200 }))).toBeUndefined()
  expect(read(...whole, boundary, says(usage(2, 0, 0)))).toEqual({ tokens: 2, window: 200 })
})

test('lines without figures change nothing', () => {
  const whole = [init, says(usage(1, 0, 0)), result({ large: 200 })]
  const bare: Line[] = [{ type: 'assistant' }, { type: 'assistant', message: {} }, { type: 'result', modelUsage: null }]
  expect(read(...whole, ...bare)).toEqual({ tokens: 1, window: 200 })
})

test.each([
  [
    { totalTokens: 5, maxTokens: 10 },
    { tokens: 5, window: 10 },
  ],
  [{ totalTokens: 5, maxTokens: 0 }, undefined],
  [{ totalTokens: '5', maxTokens: 10 }, undefined],
  [{}, undefined],
])('the answer %j to get_context_usage is %j', (answer, share) => {
  expect(toShare(answer)).toEqual(share)
})

test('a prompt is kept for five minutes, or for an hour where it was written so; of none nothing is kept', () => {
  const cacheMs = (...lines: Line[]): number => {
    const gauge = new ContextGauge()
    for (const line of lines) gauge.take(line)
    return gauge.cacheMs
  }
  const forAnHour = {
    ...usage(1, 20, 0),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 20 },
  }
  expect(cacheMs(says(usage(8, 0, 0)))).toBe(0)
  expect(cacheMs(says(usage(8, 9, 0)))).toBe(300_000)
  expect(cacheMs(says(forAnHour), says(usage(8, 0, 20)))).toBe(3_600_000)
  expect(cacheMs(says(forAnHour, { parent_tool_use_id: 'toolu_1' }))).toBe(0)
})
