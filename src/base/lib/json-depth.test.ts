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
      expect(isNestedDeeper(value, levels)).toBe(depthOf(value) > levels)
    }),
  )
})

test('a million levels are found too many without going down all of them', () => {
  const value: unknown = JSON.parse('['.repeat(1_000_000) + ']'.repeat(1_000_000))
  expect(isNestedDeeper(value, 500)).toBe(true)
})
