import { expect, test } from 'vitest'
import { cutTo, endOf, filled, widthOf } from './wrapped.ts'

test('a line goes on below where the terminal would break a word, and stays one line for who copies it', () => {
  expect(filled('one two three', 8)).toBe('one two three')
  expect(filled('the error of a team', 10)).toBe('the error of a team')
  expect(filled('wait for the answer', 10)).toBe('wait for  the       answer')
  expect(filled('wait fully now', 10)).toBe('wait      fully now')
  expect(filled('short', 10)).toBe('short')
})

test('rows stay under the indentation of their line, and a word that is wider than a row stays whole', () => {
  expect(filled('  a word and more', 10)).toBe('  a word    and       more')
  expect(filled('see abcdefghijkl now', 5)).toBe('see abcdefghijkl    now')
  expect(filled('x\n  yy zz', 6)).toBe('x\n  yy    zz')
})

test.each([
  ['working 6 s', 11, 'working 6 s'],
  ['working 6 s', 10, 'working 6…'],
  ['日本語のテスト', 7, '日本語…'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
])('%j is cut to %i columns as %j', (text, width, cut) => {
  expect(cutTo(text, width)).toBe(cut)
  expect(widthOf(cutTo(text, width))).toBeLessThanOrEqual(width)
})

test('the end of a text has room in its columns, and marks without a column of their own take none', () => {
  expect(endOf('日本語のabc', 6)).toBe('のabc')
  expect(endOf('abc', 5)).toBe('abc')
  expect(widthOf('\u200b\u0301a')).toBe(1)
  expect(widthOf('𛀀')).toBe(2)
})
