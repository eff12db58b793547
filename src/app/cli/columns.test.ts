import { expect, test } from 'vitest'
import { columns } from './columns.ts'

const rows = [
  ['frontend→backend', 'idle', 'a description\nof two lines'],
  ['a→b', '', 'short'],
]

test('cells stand under each other, each in one line', () => {
  expect(columns(60, rows)).toEqual([
    'frontend→backend  idle  a description of two lines',
    'a→b                     short',
  ])
  expect(columns(60, [])).toEqual([])
})

test('where a line does not fit, rows go on between two cells', () => {
  expect(columns(30, rows)).toEqual(['frontend→backend  idle', '  a description of two lines', 'a→b  short'])
  expect(columns(10, rows)).toEqual(['frontend→backend', '  idle', '  a description of two lines', 'a→b  short'])
})

test('a wide character takes two columns, and a sign for what nobody sees the room that it needs', () => {
  const wide = [
    ['日本', 'idle', 'a'],
    ['abcdef', '失敗', 'b'],
    ['\u0007', '👍', 'c'],
  ]
  expect(columns(60, wide)).toEqual(['日本      idle  a', 'abcdef    失敗  b', '‹U+0007›  👍    c'])
  expect(
    columns(12, [
      ['日本語日本', 'b'],
      ['a', '失敗'],
    ]),
  ).toEqual(['日本語日本', '  b', 'a  失敗'])
  expect(columns(13, [['日本語日本', 'b']])).toEqual(['日本語日本  b'])
})
