import { expect, test } from 'vitest'
import { redact, redactText } from './redact.ts'

test.each([
  ['Authorization: Bearer abc.def-123', 'abc.def-123'],
  ['calling with Bearer abcdefgh now', 'abcdefgh'],
  ['ANTHROPIC_API_KEY=whatever-it-is', 'whatever-it-is'],
  ['{"api_key": "in json"}', 'in json'],
  ["password: 'with blanks in it'", 'with blanks in it'],
  ['key sk-ant-api03-abcdefgh_ijk, then', 'sk-ant-api03-abcdefgh_ijk'],
  ['ghp_abcdefghijklmnop', 'ghp_abcdefghijklmnop'],
  ['fetch https://someone:hunter2@example.org/x', 'hunter2'],
  ['eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl', 'eyJzdWIiOiIx'],
])('in %j the secret is left out', (text, secret) => {
  expect(redactText(text)).toContain('[redacted]')
  expect(redactText(text)).not.toContain(secret)
})

test.each(['the token has run out', 'used tokens: 512 of 200000', 'claude ended with code 1', 'task-sketch of a key'])(
  '%j has no secret and stays',
  (text) => {
    expect(redactText(text)).toBe(text)
  },
)

test('in values, what has the name of a secret goes, and what is a secret in a text; counts stay', () => {
  const value = { turnId: 't1', inputTokens: 5, env: [{ MY_TOKEN: 'x', url: 'a?api_key=abc' }], none: null }
  expect(redact(value)).toEqual({
    turnId: 't1',
    inputTokens: 5,
    env: [{ MY_TOKEN: '[redacted]', url: 'a?api_key=[redacted]' }],
    none: null,
  })
})

test('a line of a megabyte costs no more than its length', () => {
  for (const text of ['a'.repeat(1e6), 'a.'.repeat(5e5), 'eyJ'.repeat(3e5), 'a:'.repeat(5e5)]) {
    expect(redactText(text)).toBe(text)
  }
})
