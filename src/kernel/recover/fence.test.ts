import { expect, test } from 'vitest'
import { Secrets } from '../../base/lib/secrets.ts'
import { inputSummary } from './fence.ts'

const secret = 'correct-horse-battery-staple'
const secrets = new Secrets()
secrets.add([secret])

test.each([3990, 64 * 1024 - 10])('no half of a secret is shown that begins after %i blanks', (blanks) => {
  const shown = inputSummary({ command: `echo${' '.repeat(blanks)}${secret} end` }, secrets.hideInText)
  expect(shown).toMatch(/^echo/)
  expect(shown).not.toContain(secret.slice(0, 6))
})

test('a long word before a blank takes linear time', () => {
  // Each of these used to take seconds on the main thread.
  for (let length = 64 * 1024 - 60; length < 64 * 1024; length += 1)
    expect(inputSummary({ command: `${'a'.repeat(length)} and more ${'b'.repeat(100)}` }, secrets.hideInText)).toMatch(
      /^a+…$/,
    )
})
