import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNestedDeeper } from './json-depth.ts'

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

test('any JSON is as deep as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(8), (value, levels) => {
      expect(isNestedDeeper(JSON.stringify(value), levels)).toBe(depthOf(value) > levels)
    }),
  )
})

test.each([
  ['{"a":"[[[[[["}', 1, false],
  ['{"a":"\\"[[[["}', 1, false],
  ['{"a":"\\\\","b":[[]]}', 2, true],
  ['[[[', 2, true],
  ['"[[[', 2, false],
  ['[][][][]', 1, false],
])('brackets in strings do not count: %s', (text, levels, deeper) => {
  expect(isNestedDeeper(text, levels)).toBe(deeper)
})

test('ten million brackets are counted without recursion', () => {
  const text = '['.repeat(5_000_000) + ']'.repeat(5_000_000)
  expect(isNestedDeeper(text, 5_000_000)).toBe(false)
  expect(isNestedDeeper(text, 4_999_999)).toBe(true)
})
