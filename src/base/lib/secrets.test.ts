import { expect, test } from 'vitest'
import { Secrets } from './secrets.ts'

test('a text that was shown before is hidden once its value is known to be a secret', () => {
  const secrets = new Secrets()
  expect(secrets.hideInText('open sesame')).toBe('open sesame')
  secrets.add(['open sesame'])
  expect(secrets.hideInText('open sesame')).toBe('[redacted]')
  expect(secrets.hideInText('open sesame')).toBe('[redacted]')
})
