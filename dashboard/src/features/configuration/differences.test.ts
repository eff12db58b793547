import { expect, test } from 'vitest'
import { differencesOf } from './differences.ts'

/** Pseudo-random lines. */
function many(seed: number): string {
  let state = seed
  const lines = Array.from({ length: 2048 }, () => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return `k: ${10000 + (state % 977)}`
  })
  return lines.join('\n')
}

test('texts that differ everywhere are compared approximately and shown completely', () => {
  const [before, after] = [many(1), many(2)]
  const { chunks } = differencesOf(before, after)
  // Exact ones are 1762, and take five seconds for a sixty-fourth of what config.yaml may hold.
  expect(chunks.flatMap(({ changes }) => changes).length).toBeLessThan(100)
  expect([chunks[0]?.fromA, chunks.at(-1)?.endA]).toEqual([0, before.length])
})

test('a small change is exact', () => {
  const { chunks, b } = differencesOf('a: 1\nb: 2\nc: 3\n', 'a: 1\nb: 5\nc: 3\n')
  expect(chunks.map(({ fromB, endB }) => b.sliceString(fromB, endB))).toEqual(['b: 5'])
})
