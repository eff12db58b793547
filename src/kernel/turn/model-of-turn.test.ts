import { expect, test } from 'vitest'
import type { Line } from '../../base/agent/line.ts'
import { ModelOfTurn } from './model-of-turn.ts'

const begun = (model: string): Line => ({ type: 'system', subtype: 'init', model })
const said = (model: string, more = {}): Line => ({ type: 'assistant', message: { model, content: [] }, ...more })

function differing(configured: string, ...lines: readonly Line[]) {
  const model = new ModelOfTurn()
  return [begun(configured), ...lines].map((line) => model.take(line)).at(-1)
}

test.each([
  ['claude-opus-5-5', 'claude-opus-5-5'],
  ['claude-opus-4-8[1m]', 'claude-opus-4-8'],
  ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'],
  ['us.anthropic.claude-opus-4-8-v1:0', 'claude-opus-4-8'],
  ['claude-haiku-4-5@20251001', 'claude-haiku-4-5-20251001'],
  ['a-gateways-own', 'a-gateways-own'],
  ['claude-opus-5-5', '<synthetic>'],
])('%s and %s are the same model', (configured, answering) => {
  expect(differing(configured, said(answering))).toBeUndefined()
})

test.each([
  ['claude-opus-5-5', 'claude-opus-5'],
  ['claude-opus-4-8[1m]', 'claude-sonnet-4-6'],
])('%s and %s are not', (configured, model) => {
  expect(differing(configured, said(model))).toEqual({ model, configured })
})

test('a subagent has a model of its own', () => {
  expect(differing('claude-opus-5-5', said('claude-haiku-4-5', { parent_tool_use_id: 'toolu_1' }))).toBeUndefined()
})

test('why it changed is what Claude Code says', () => {
  const change = { original_model: 'claude-opus-5-5', fallback_model: 'claude-opus-5', content: 'Switched to Opus 5.' }
  const fallback = { type: 'system', subtype: 'model_refusal_fallback', ...change }
  const other = { model: 'claude-opus-5', configured: 'claude-opus-5-5', why: 'Switched to Opus 5.' }
  expect(differing('claude-opus-5-5', fallback)).toEqual(other)
  expect(differing('claude-opus-5-5', fallback, said('claude-opus-5'))).toEqual(other)
  expect(differing('claude-opus-5-5', { ...fallback, scope: 'local' })).toBeUndefined()
})
