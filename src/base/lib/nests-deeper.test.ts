import { expect, test } from 'vitest'
import { nestsDeeper } from './nests-deeper.ts'

test.each([
  ['[[[1]]]', false],
  ['[[[[1]]]]', true],
  ['[{"a":[1]},{"a":[2]}]', false],
  ['{"a":{"b":{"c":{}}}}', true],
  ['["[[[[[["]', false],
  [String.raw`["\"[[[[[[", "\\"]`, false],
  [String.raw`["\\", [[[1]]]]`, true],
  ['[[[[[[', true],
  ['["never ends', false],
  ['', false],
])('%s has more than three levels: %j', (text, isDeeper) => {
  expect(nestsDeeper(text, 3)).toBe(isDeeper)
})
