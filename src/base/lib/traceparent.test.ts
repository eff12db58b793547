import { expect, test } from 'vitest'
import { traceParentOf, traceParentText } from './traceparent.ts'

const ids = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const written = `${ids.traceId}-${ids.spanId}`

test.each([
  [`00-${written}-01`, true],
  [`00-${written}-00`, false],
  // Other flags say nothing about sampling.
  [`00-${written}-03`, true],
  [`00-${written}-02`, false],
  // A later version is read by its first four fields.
  [`01-${written}-01`, true],
  [`cc-${written}-00-what-the-future-will-be-like`, false],
])('%s is read, and whether its caller records it', (text, isSampled) => {
  expect(traceParentOf(text)).toEqual({ ...ids, isSampled })
  expect(traceParentText({ ...ids, isSampled })).toBe(`00-${written}-${isSampled ? '01' : '00'}`)
})

test.each([
  `00-${written}-01-more`,
  `01-${written}-01more`,
  `01-${written}-01-line\n`,
  `ff-${written}-01`,
  `00-${'0'.repeat(32)}-${ids.spanId}-01`,
  `00-${ids.traceId}-${'0'.repeat(16)}-01`,
  `00-${written.toUpperCase()}-01`,
  `01-${written}-01-${'x'.repeat(1000)}`,
  undefined,
  7,
])('%j is none', (text) => {
  expect(traceParentOf(text)).toBeUndefined()
})
