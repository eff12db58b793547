import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toEvict, whyEvicted } from './eviction.ts'

const now = 1000
const idle = (lastUsedAt: number, cacheMs = 0) => ({ evictable: true, lastUsedAt, cacheMs })
const busy = (lastUsedAt: number) => ({ evictable: false, lastUsedAt, cacheMs: 0 })

test.each([
  ['nobody, when there is nobody', [], undefined],
  ['nobody, when all are at work', [busy(1)], undefined],
  ['the one used longest ago', [idle(3), idle(1), idle(2)], 1],
  ['never one at work, however old', [busy(1), idle(2)], 2],
  ['one whose prompt is cached no more before an older one whose prompt is', [idle(1, 3600), idle(500, 300)], 500],
  ['the one used longest ago, when the prompts of all are cached', [idle(3, 3600), idle(1, 3600)], 1],
])('%s makes room', (_, candidates, lastUsedAt) => {
  expect(toEvict(candidates, now)?.lastUsedAt).toBe(lastUsedAt)
})

test('the one that holds its place longest for a message makes room, if clearly longer; a cached prompt stays before them', () => {
  const [soon, late, cached] = [idle(1), idle(2), idle(3, 3600)]
  const expected = (ofLate: number) => (each: { lastUsedAt: number }) =>
    ({ 1: 5000, 2: ofLate, 3: 20_000 })[each.lastUsedAt] ?? 0
  expect(toEvict([soon, late, cached], now)).toBe(soon)
  expect(toEvict([soon, late, cached], now, expected(9000))).toBe(late)
  expect(toEvict([soon, late, cached], now, expected(7000))).toBe(soon)
})

test('it is told from the least recently used when the prompt cache decided', () => {
  const candidates = [busy(0), idle(1, 3600), idle(500, 300)]
  expect(whyEvicted(idle(1, 3600), candidates)).toBe('least recently used')
  expect(whyEvicted(toEvict(candidates, now)!, candidates)).toContain('still cached')
})

test('who makes room is idle, and no idle one was used before', () => {
  const candidates = fc.array(fc.record({ evictable: fc.boolean(), lastUsedAt: fc.nat(), cacheMs: fc.constant(0) }))
  fc.assert(
    fc.property(candidates, (all) => {
      const idle = all.filter(({ evictable }) => evictable)
      const chosen = toEvict(all, now)
      expect(chosen === undefined).toBe(idle.length === 0)
      const oldest = Math.min(...idle.map(({ lastUsedAt }) => lastUsedAt))
      expect(idle.filter(({ lastUsedAt }) => lastUsedAt === oldest).includes(chosen!)).toBe(idle.length > 0)
    }),
  )
})
