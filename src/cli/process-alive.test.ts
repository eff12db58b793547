import { expect, test } from 'vitest'
import { beganAfter, isAlive } from './process-alive.ts'

test('a process that began later is told from the one that had its pid before', () => {
  const now = Date.now()
  const began = now - process.uptime() * 1000
  expect(isAlive(process.pid)).toBe(true)
  expect(beganAfter(process.pid, now)).toBe(false)
  expect(beganAfter(process.pid, began)).toBe(false)
  expect(beganAfter(process.pid, began - 60_000)).toBe(true)
  // Of one that is gone nothing is known.
  expect(beganAfter(2 ** 22 + 1, 0)).toBe(false)
})
