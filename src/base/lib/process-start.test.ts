import { expect, test } from 'vitest'
import { processStart } from './process-start.ts'

test('a process has one start, which differs from that of another one', () => {
  const own = processStart(process.pid)
  expect(own).toMatch(/^[0-9a-f-]{36} \d+$/)
  expect(processStart(process.pid)).toBe(own)
  expect(processStart(1)).not.toBe(own)
  expect(processStart(2 ** 22 + 1)).toBeUndefined()
})
