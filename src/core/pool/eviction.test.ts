import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toEvict } from './eviction.ts'

test.each([
  ['nobody, when there is nobody', [], undefined],
  ['nobody, when all are at work', [{ evictable: false, lastUsedAt: 1 }], undefined],
  [
    'the one used longest ago',
    [
      { evictable: true, lastUsedAt: 3 },
      { evictable: true, lastUsedAt: 1 },
      { evictable: true, lastUsedAt: 2 },
    ],
    1,
  ],
  [
    'never one at work, however old',
    [
      { evictable: false, lastUsedAt: 1 },
      { evictable: true, lastUsedAt: 2 },
    ],
    2,
  ],
])('%s makes room', (_, candidates, lastUsedAt) => {
  expect(toEvict(candidates)?.lastUsedAt).toBe(lastUsedAt)
})

test('who makes room is idle, and no idle one was used before', () => {
  const candidates = fc.array(fc.record({ evictable: fc.boolean(), lastUsedAt: fc.nat() }))
  fc.assert(
    fc.property(candidates, (all) => {
      const idle = all.filter(({ evictable }) => evictable)
      const chosen = toEvict(all)
      expect(chosen === undefined).toBe(idle.length === 0)
      const oldest = Math.min(...idle.map(({ lastUsedAt }) => lastUsedAt))
      expect(idle.filter(({ lastUsedAt }) => lastUsedAt === oldest).includes(chosen!)).toBe(idle.length > 0)
    }),
  )
})
