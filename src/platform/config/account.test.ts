import { expect, test } from 'vitest'
import { isWrittenForm } from './account.ts'

test('an account is known by the path that an earlier Iris stored as it was written', () => {
  expect(isWrittenForm('~/.claude-work', '/home/me/.claude-work')).toBe(true)
  expect(isWrittenForm('./work-token', '/home/me/.iris/work-token')).toBe(true)
  expect(isWrittenForm('work-token', '/home/me/.iris/work-token')).toBe(true)
  expect(isWrittenForm('~/.claude-work', '/home/me/.claude-other')).toBe(false)
  expect(isWrittenForm('/home/me/.claude-work', '/home/you/.claude-work')).toBe(false)
  expect(isWrittenForm('', '/home/me/.claude-work')).toBe(false)
})
