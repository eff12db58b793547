import fc from 'fast-check'
import { expect, test } from 'vitest'
import { interpolate } from './yaml-tree.ts'

const env = { A: 'alpha', B: 'beta', EMPTY: '', NUMBER: '42', BRACES: '${A}' }

test.each([
  ['nothing to replace', 'nothing to replace', false, false],
  ['${A}', 'alpha', true, true],
  ['<${A}>', '<alpha>', false, true],
  ['${A}/${B}', 'alpha/beta', false, true],
  ['${NONE:-x}/${NADA:-y}', 'x/y', false, false],
  ['${NONE:-x}/${B:-y}', 'x/beta', false, true],
  ['${NONE:-}', '', true, false],
  ['${NONE:-a:-b}', 'a:-b', true, false],
  ['${NONE:-two words}', 'two words', true, false],
  ['${EMPTY}', '', true, true],
  ['${EMPTY:-full}', 'full', true, false],
  ['${BRACES}', '${A}', true, true],
  ['$${A}', '${A}', false, false],
  ['$${A} ${A}', '${A} alpha', false, true],
  ['$A $ $$ {A}', '$A $ $$ {A}', false, false],
])('%s becomes %s', (written, text, whole, fromEnvironment) => {
  expect(interpolate(written, env)).toEqual({ text, whole, fromEnvironment, mistakes: [] })
})

const unreadable = 'this is not a variable that Iris can read'

test.each([
  ['${NONE}', '${NONE}', 'the environment variable NONE is not set'],
  ['${constructor}', '${constructor}', 'the environment variable constructor is not set'],
  ['${}', '${}', unreadable],
  ['${1A}', '${1A}', unreadable],
  ['${A-x}', '${A-x}', unreadable],
  ['${A:?say why}', '${A:?say why}', unreadable],
  ['a ${A', '${A', unreadable],
  ['${A:-${B}}', '${A:-${B}', unreadable],
])('%s is a mistake', (written, part, problem) => {
  expect(interpolate(written, env).mistakes).toEqual([expect.objectContaining({ written: part, problem })])
})

test('every mistake of one text is named', () => {
  expect(interpolate('${X} ${Y} ${}', {}).mistakes.map(({ written }) => written)).toEqual(['${X}', '${Y}', '${}'])
})

test('a missing variable says how to give it a default', () => {
  expect(interpolate('${PORT}', {}).mistakes[0]?.remedy).toBe(
    'Set PORT before Iris starts, or write a default: ${PORT:-default}.',
  )
})

test('any text comes back unchanged once its ${ are escaped', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-', ' ') }), (text) => {
      const escaped = text.replaceAll('${', () => '$${')
      expect(interpolate(escaped, { A: 'alpha' })).toMatchObject({ text, mistakes: [] })
    }),
  )
})
