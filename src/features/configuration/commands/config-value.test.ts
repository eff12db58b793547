import { expect, test } from 'vitest'
import { writtenValue } from './config-value.ts'

const description = ['teams', 'backend', 'description']
const set = (text: string) => writtenValue(text, 'teams.backend.description', description)

test.for([
  'Knows the API # and the pages',
  '# all',
  '#F69',
  '{a: 1} # one',
  '[a, # one\n b]',
  '- a\n# two\n- b',
  '&shared text',
  '{a: &shared 1}',
  '&shared',
  '*shared',
  '|',
  '>',
])('%j is refused, because YAML would drop words of it', (text) => {
  expect(() => set(text)).toThrow(
    expect.objectContaining({ code: 'invalid_input', remedy: expect.stringContaining(`description '"…"'`) }),
  )
})

test.for([
  ['"Knows the API # and the pages"', 'Knows the API # and the pages'],
  ["'#F69'", '#F69'],
  ['C#, a#b', 'C#, a#b'],
  ['|\n  one # two\n', 'one # two\n'],
  ['a & b * c | d > e', 'a & b * c | d > e'],
  ['{a: {b: [1, {c: d}]}}', { a: { b: [1, { c: 'd' }] } }],
  ['""', ''],
] as const)('%j is a value', ([text, value]) => {
  expect(set(text)).toEqual(value)
})
