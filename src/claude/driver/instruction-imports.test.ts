import { expect, test } from 'vitest'
import { importsIn } from './instruction-imports.ts'

test.each([
  ['See @docs/rules.md and @./more', ['docs/rules.md', './more']],
  ['@~/mine.md\n@/etc/rules.txt\n- @../up/there.md', ['~/mine.md', '/etc/rules.txt', '../up/there.md']],
  ['**@bold.md** *@em.md* # @head.md <b>@html.md</b>', ['bold.md', 'em.md', 'head.md', 'html.md']],
  ['a file with\\ spaces: @my\\ rules.md', ['my rules.md']],
  ['twice @a.md and @a.md#part', ['a.md']],
  // Punctuation belongs to the path.
  ['@a.md, @b.md. @c.md) @d.md:', ['a.md,', 'b.md.', 'c.md)', 'd.md:']],
  // Names of people, packages, annotations and addresses; after a bracket or a quote, it is not an import.
  ['ask @ann, @types/node, @param x, me@example.md, (@a.md) "@b.md" [x](@c.md)', []],
  [
    'in `@code.md`, ``@two `ticks`.md``\n\n```\n@block.md\n```\n\n~~~md\n@other.md\n~~~\n<!-- @comment.md -->\n\n    @indent.md\n@last.md',
    ['last.md'],
  ],
  ['```\n@open.md', []],
])('%j imports %j', (text, paths) => {
  expect(importsIn(text).map(({ path }) => path)).toEqual(paths)
})

test('what was meant has no punctuation after it', () => {
  expect(importsIn('@docs/a.md, and @~/b.md).')).toEqual([
    { path: 'docs/a.md,', meant: 'docs/a.md' },
    { path: '~/b.md).', meant: '~/b.md' },
  ])
})

test('what would be compared with all that comes after it has a bound', () => {
  // Each of them used to take minutes for a file of a quarter of a megabyte.
  const hostile = (unit: string): string[] =>
    importsIn(`${unit.repeat(256_000 / unit.length)}\n\n@last.md`).map(({ path }) => path)
  for (const unit of ['@', '<a ', '<!--', '<http://a', 'a`']) expect(hostile(unit)).toEqual(['last.md'])
  // A code block that is never closed.
  for (const unit of ['`', '~']) expect(hostile(unit)).toEqual([])
  expect(importsIn(`@${'a'.repeat(4094)}.md`)).toEqual([])
  expect(importsIn(`\`${'a '.repeat(1000)}\n@far.md \``).map(({ path }) => path)).toEqual(['far.md'])
})
