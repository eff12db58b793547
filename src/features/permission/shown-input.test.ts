import { expect, test } from 'vitest'
import { shownInput } from './shown-input.ts'

test('each field has a line of its own, whole', () => {
  const long = 'x'.repeat(100_000)
  expect(shownInput({ command: `echo ${long}`, timeout: 5000, nested: { a: [1] }, absent: null })).toBe(
    `command: echo ${long}\ntimeout: 5000\nnested: {"a":[1]}\nabsent: null`,
  )
})

test('text of several lines cannot pass for another field', () => {
  expect(shownInput({ content: 'harmless\nfile_path: /tmp/x', file_path: '/etc/passwd' })).toBe(
    'content:\n  | harmless\n  | file_path: /tmp/x\nfile_path: /etc/passwd',
  )
  expect(shownInput({ 'a: 1\nb': 2 })).toBe('a: 1\\nb: 2')
})

test('what cannot be seen is made visible, also in names and deep inside', () => {
  expect(shownInput({ 'a\u202e': 'b\u200b', c: { d: '\u{e0041}' } })).toBe('a‹U+202E›: b‹U+200B›\nc: {"d":"‹U+E0041›"}')
})

test('an empty input is an empty text', () => {
  expect(shownInput({})).toBe('')
})
