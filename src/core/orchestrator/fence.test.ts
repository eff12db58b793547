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
