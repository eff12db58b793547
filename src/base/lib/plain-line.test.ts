import { expect, test } from 'vitest'
import { joinedLines, plainLine, withoutMarks } from './plain-line.ts'

test.each([
  ['`POST /orders` takes **two** fields.', 'POST /orders takes two fields.'],
  ['# Routes\n\n- `GET /a`\n- [x] *done*\n\n1. first', 'Routes • GET /a • done 1. first'],
  ['- only one', 'only one'],
  ['> quoted __text__ and _more_', 'quoted text and more'],
  ['See [the page](https://example.org/a_b) and ![a picture](x.png).', 'See the page and a picture.'],
  ['Run:\n```sh\nnpm test\n```\nThen ~~wait~~ go.', 'Run: npm test Then wait go.'],
  ['| a | b |\n|---|:--|\n| 1 | 2 |', '| a | b | | 1 | 2 |'],
  ['a\n\n---\n\nb', 'a b'],
  ['**粗体**文字', '粗体文字'],
  ['***both*** at once', 'both at once'],
])('%j is shown as %j', (markdown, line) => {
  expect(plainLine(markdown)).toBe(line)
})

test.each([
  'src/**/*.ts and *.js, or *.ts',
  '2 * 3 * 4 is 24, and 2**3 is 8',
  'snake_case_name and __init__.py, node_modules/_private_/x',
  '5 > 3; #15 is open; ~/projects',
  'well-known --flags -x',
])('%j has no marks', (text) => {
  expect(plainLine(text)).toBe(text)
})

test('what is in code stays', () => {
  expect(plainLine('`__init__` and `**/*.ts`, ``a_b_c``')).toBe('__init__ and **/*.ts, a_b_c')
})

test('a piece of a text may begin and end within a mark', () => {
  expect(withoutMarks('…of **all** prices** and **the `last')).toBe('…of all prices and the last')
})

test('a long text is cut between characters, and read only as far as needed', () => {
  expect(plainLine('word '.repeat(3), 10)).toBe('word word…')
  expect(plainLine(`${'a'.repeat(8)}😀bc`, 10)).toBe(`${'a'.repeat(8)}…`)
  expect(plainLine('**a '.repeat(1_000_000))).toHaveLength(300)
})

test('lines are joined in a time in proportion to their length', () => {
  expect(joinedLines('a \n\n\t b\r\n c ')).toBe('a b c')
  expect(joinedLines('  a  b ')).toBe('  a  b ')
  // With stars around the line break, this used to take minutes.
  const blanks = ' '.repeat(400_000)
  expect(joinedLines(`a${blanks}b`)).toBe(`a${blanks}b`)
  expect(joinedLines(`a${blanks}\n${blanks}b`)).toBe('a b')
})
