import { expect, test } from 'vitest'
import { tooOld } from './too-old.ts'

test('a Node before 24 is told to be too old, and what to do', () => {
  expect(tooOld('20.20.2')).toMatch(/^error: Iris needs Node 24 or newer, and this is Node 20\.20\.2\.\n.*PATH/)
  expect(tooOld('24.0.0')).toBeUndefined()
  expect(tooOld('100.1.0')).toBeUndefined()
})
