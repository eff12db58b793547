import { expect, test } from 'vitest'
import type { Call } from '../../../kernel/call/call.ts'
import { noteTrace, type TraceLinkParts } from './trace-link.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
type Parent = NonNullable<Call['auth']['parent']>

function noted(call: {
  readonly traceparent?: string
  readonly parent?: Parent
  readonly tracesTo?: string
}): string[] {
  const kept: string[] = []
  const turnTraces = { add: (_turn: string, text: string) => void kept.push(text) }
  const parts = { config: () => ({ insight: { tracesTo: call.tracesTo } }), clock: { now: () => 1 }, turnTraces }
  noteTrace(
    'turn',
    { auth: { parent: call.parent }, traceparent: call.traceparent },
    parts as unknown as TraceLinkParts,
  )
  return kept
}

const tracesTo = 'http://127.0.0.1:4318/v1/traces'
const parent = { turnId: 'other', toolUseId: 'use' } as Parent

test('the trace of a first ask is kept as it is, where traces are sent', () => {
  expect(noted({ traceparent, tracesTo })).toEqual([traceparent])
  expect(noted({ traceparent })).toEqual([])
  expect(noted({ tracesTo })).toEqual([])
})

test('a later version is kept by its first four fields, and what is not sampled stays so', () => {
  const later = '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more'
  expect(noted({ traceparent: later, tracesTo })).toEqual([traceparent])
  const unsampled = traceparent.replace(/01$/, '00')
  expect(noted({ traceparent: unsampled, tracesTo })).toEqual([unsampled])
})

test('an agent names no trace: its message belongs to the turn that asks', () => {
  expect(noted({ traceparent, tracesTo, parent })).toEqual([])
})

test.each([
  ['upper case', traceparent.toUpperCase()],
  ['a line end', `${traceparent}\n`],
  ['a megabyte', traceparent.repeat(20_000)],
  ['a null id', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`],
])('what is no traceparent is not kept: %s', (_what, text) => {
  expect(noted({ traceparent: text, tracesTo })).toEqual([])
})
