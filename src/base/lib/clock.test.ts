import { expect, test } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { outlasts } from './clock.ts'

test('a wait leaves no timer behind, however it ends', async () => {
  const clock = new FakeClock()
  expect(await outlasts(clock, 1000, Promise.resolve())).toBe(false)
  await expect(outlasts(clock, 1000, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(clock.pending).toBe(0)
  const late = outlasts(clock, 1000, new Promise(() => {}))
  await clock.advance(1000)
  expect(await late).toBe(true)
})
