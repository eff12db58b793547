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
