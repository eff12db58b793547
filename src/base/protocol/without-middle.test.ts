import { expect, test } from 'vitest'
import { IrisError } from './error.ts'
import { withoutMiddle } from './without-middle.ts'

test('the longest path of a file stays whole', () => {
  const path = `/${'d'.repeat(4095)} does not exist.`
  expect(withoutMiddle(path)).toBe(path)
})

test('no character is cut in two', () => {
  const emoji = '😀'.repeat(9000)
  for (const text of [emoji, `a${emoji}`, `${emoji}a`]) expect(withoutMiddle(text)).not.toMatch(/\p{Surrogate}/u)
})

test('an error repeats of what somebody typed only the beginning and the end', () => {
  const typed = 'a b\n'.repeat(30_000)
  const { message, remedy } = new IrisError('unknown_team', `There is no team "${typed}".`, `Give ${typed} a name.`)
  expect(message).toMatch(/^There is no team "a b[^]* … [^]*a b\n"\.$/)
  expect(remedy).toMatch(/^Give a b[^]* … [^]* a name\.$/)
  expect(message.length + remedy.length).toBeLessThan(2000)
})
