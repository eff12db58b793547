import { describe, expect, test } from 'vitest'
import { ProblemList } from './problem.ts'
import { readTree } from './yaml-tree.ts'

async function read(text: string) {
  const problems = new ProblemList('config.yaml')
  const tree = await readTree(text, {}, problems)
  const found = problems.inFileOrder().map(({ line, column, key, problem, remedy }) => ({
    at: `${line}:${column}${key && ` ${key}`}`,
    problem,
    remedy,
  }))
  return { tree, found, problems }
}

const general =
  'Correct the line, or the one before it: often a quote, a bracket or a colon is missing, or a value needs quotes.'

test.each([
  ['a:\n\tb: 1', '2:1', 'a tab is used to indent', 'Indent with spaces.'],
  [
    'a:\n  b: 2\n c: 3',
    '3:1',
    'all mapping items must start at the same column',
    'Give all keys of one group the same indentation.',
  ],
  ['a: "x\nb: 1', '2:5', 'missing closing quote', general],
  ['a: [x', '1:6', 'a list in brackets is not closed', 'Close it with ] and indent the lines that it takes.'],
  ['{ a: 1', '1:7', 'a mapping in braces is not closed', 'Close it with } and indent the lines that it takes.'],
  ['a: 1\nsecret', '2:1', 'implicit map keys need to be followed by map values', general],
  ['a: "x" secret', '1:8', 'unexpected scalar at node end', general],
  ['- a\nb: secret', '2:1', 'unexpected scalar at node end', general],
  ['a: ]', '1:4', 'unexpected flow-seq-end token in YAML stream', general],
  ['a: @home', '1:4', 'plain value cannot start with reserved character @', 'Put the value in quotes.'],
  [
    'a: b: c',
    '1:4',
    'a second key begins on the line of another one',
    'Put the value in quotes if it contains a colon and a space. Otherwise start a new line.',
  ],
  [
    'a: "\\d"',
    '1:5',
    'a backslash in double quotes is followed by a character that it cannot escape',
    'Put the value in single quotes, or write \\\\ for a backslash.',
  ],
  ['a: 1\n---\nb: 2', '2:1', 'there is more than one document', 'Remove the line --- and keep one document.'],
  ['? [a]\n: 1', '1:3', 'a key is a list or a mapping', 'Write the key as plain text, or in quotes.'],
  ['a: !secret b', '1:4', 'a value has an unknown tag', 'Remove the word that begins with an exclamation mark.'],
  [
    'a: { b: ${C} }',
    '1:10',
    'a brace is in a place where a value cannot begin',
    'A ${VARIABLE} inside {…} needs quotes. Or write the key on its own line.',
  ],
])('%j is no YAML', async (text, at, problem, remedy) => {
  const { tree, found } = await read(text)
  expect(tree).toBeUndefined()
  expect(found[0]).toEqual({ at, problem: `this is not YAML: ${problem}`, remedy })
  expect(JSON.stringify(found)).not.toContain('secret')
})

test('what is nested beyond all measure is no YAML', async () => {
  for (const opening of ['[', '- ', '{a: ', '? ']) {
    expect((await read(opening.repeat(5000))).found[0]?.problem).toBe('this is not YAML: it is nested too deeply')
  }
})

test('a key written twice names both lines, and the first counts', async () => {
  const { tree, found } = await read('a:\n  b: 1\n  c: 2\n  "b": 3\n1: x\n"1": y')
  expect(tree).toEqual({ a: { b: 1, c: 2 }, 1: 'x' })
  expect(found).toEqual([
    { at: '4:3 a.b', problem: 'is written twice, first on line 2', remedy: 'Keep one of the two.' },
    { at: '6:1 1', problem: 'is written twice, first on line 5', remedy: 'Keep one of the two.' },
  ])
})

test('the key __proto__ does not vanish', async () => {
  const { tree, found } = await read('a:\n  __proto__:\n    b: 1')
  expect(Object.getPrototypeOf((tree as { a: object }).a)).toBeNull()
  expect(found).toEqual([{ at: '2:3 a.__proto__', problem: 'is a reserved name', remedy: 'Choose another name.' }])
})

test('keys are text, whatever they look like', async () => {
  expect(Object.keys((await read('true: 1\nnull: 2\n0x10: 3\n1.0: 4')).tree as object)).toEqual([
    'true',
    'null',
    '0x10',
    '1.0',
  ])
})

test('an empty file is an empty mapping', async () => {
  const [none, comment, marks] = [await read(''), await read('# only this'), await read('---\n...')]
  expect([none.tree, comment.tree, marks.tree]).toEqual([{}, {}, {}])
})

/** Nine lists of nine items, each made from the list before it. */
const billionLaughs = Array.from({ length: 9 }, (_, n) => {
  const items = n === 0 ? 'ha' : Array.from({ length: 9 }, () => `*k${n - 1}`).join()
  return `k${n}: &k${n} [${items}]`
}).join('\n')

describe('anchors', () => {
  test('stand for what they are before', async () => {
    expect((await read('a: &x [1, { b: 2 }]\nc: *x')).tree).toEqual({ a: [1, { b: 2 }], c: [1, { b: 2 }] })
  })

  test('that are not there are named', async () => {
    expect((await read('a: *x')).found).toEqual([
      {
        at: '1:1 a',
        problem: 'the anchor that this refers to is not defined above',
        remedy: 'Put the value in quotes if it is plain text that begins with a star.',
      },
    ])
  })

  test.each([
    ['one mapping', 'a: &x { b: 1 }\nc:\n  <<: *x\n  d: 2', '3:3 c."<<"'],
    ['several', 'a: [&x { b: 1 }, &y { b: 2 }]\nc: { <<: [*x, *y], d: 2 }', '2:6 c."<<"'],
    ['a mapping of its own', 'c: { <<: { b: 1 }, d: 2 }', '1:6 c."<<"'],
  ])('that are merged are refused by name: %s', async (_, text, at) => {
    const { tree, found, problems } = await read(text)
    expect(found).toEqual([
      {
        at,
        problem: 'YAML merge keys are not supported',
        remedy: expect.stringContaining('Write the keys themselves here'),
      },
    ])
    expect((tree as { c: unknown }).c).toEqual({ d: 2 })
    expect([problems.isUnread(['c', 'b']), problems.isUnread(['c', 'e'])]).toEqual([true, false])
  })

  test.each([
    ['a ring', 'a: &a { b: *a }'],
    ['a billion laughs', billionLaughs],
    ['too many levels', '['.repeat(20) + ']'.repeat(20)],
    ['too many nodes', '- a\n'.repeat(50_001)],
  ])('%s is refused with one sentence', async (_, text) => {
    const { found } = await read(text)
    expect(found.map(({ problem }) => problem)).toEqual(['from here on, the file is too large or too deeply nested'])
  })
})

test.each([
  ['!!binary aGk=', 'has a type that a configuration does not support'],
  ['!!timestamp 2001-01-01', 'has a type that a configuration does not support'],
])('%s is no value', async (written, problem) => {
  expect((await read(`a: ${written}`)).found[0]).toMatchObject({ at: '1:1 a', problem })
})
