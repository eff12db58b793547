import { expect, test } from 'vitest'
import { decodedOtlp } from './otlp-decoder.ts'

const span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  name: 'invoke_agent backend',
  kind: 2,
  startTimeUnixNano: '1790000000000000000',
  endTimeUnixNano: '1790000001000000000',
  attributes: [],
  status: {},
}
const request = (more: object) =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, ...more }] }] }] })
const attribute = (value: object) => request({ attributes: [{ key: 'tokens', value }] })

test('takes a span, and makes protobuf of it', () => {
  expect(decodedOtlp('traces', attribute({ intValue: '5' })).length).toBeGreaterThan(60)
})

test.each([
  ['a field that the schema lacks', request({ duration: '5' })],
  ['an id in base64', request({ traceId: 'S/kvNXezTaajzpKdDg5HNg==' })],
  ['an id of another length', request({ spanId: '00f067aa0ba902b700' })],
  ['an enum by its name', request({ kind: 'SPAN_KIND_SERVER' })],
  ['a time as a number', request({ startTimeUnixNano: 1_790_000_000_000_000 })],
  ['a text as a number', request({ name: 5 })],
  ['a number as a text', attribute({ doubleValue: '0.5' })],
  ['a value of no type', attribute({ numberValue: 5 })],
  ['an attribute that is no pair', request({ attributes: { tokens: 5 } })],
  ['another signal', JSON.stringify({ resourceLogs: [], resourceSpans: [{ scopeSpans: [] }, 5] })],
])('refuses %s', (_, text) => {
  expect(() => decodedOtlp('traces', text)).toThrow(/not OTLP|expected/)
})
