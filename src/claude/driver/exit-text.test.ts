import { expect, test } from 'vitest'
import { exitText } from './exit-text.ts'

const exit = { code: 1, signal: null }

test.each([
  ['', 3, 'claude ended with code 1'],
  ['one\ntwo\nthree\n', 2, 'claude ended with code 1: two / three'],
  [
    'Error: not installed.\n\nRun npm.\nOr reinstall.\n',
    1,
    'claude ended with code 1: Error: not installed. / Or reinstall.',
  ],
  ['Error: not installed.\n', 1, 'claude ended with code 1: Error: not installed.'],
])('says how a process ended, with its error and its last lines: %j', (stderr, lines, text) => {
  expect(exitText(exit, stderr, lines)).toBe(text)
})
