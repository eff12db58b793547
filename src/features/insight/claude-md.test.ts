import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeRepository } from '../../../test/support/git.ts'
import { projectTree } from '../../../test/support/project-tree.ts'
import { answerLine, withAnswer } from './claude-md.ts'

const section = '## Answers to repeated questions'
const files = [
  undefined,
  '# Title\n',
  '# Title\n\nText without an end',
  `# Title\n\n${section}\n\n- one\n- two\n`,
  `${section}\n- one\n\n\n## Next\n\nmore\nand\nmore\nand more\n`,
  `# Title\n\n${section}\n\n## Next`,
  `a\nb\nc\nd\ne\nf\n\n${section}\n\n- one`,
]

test.each(files)('git applies the difference, with the same text: %j', (was) => {
  using tree = projectTree({ ...(was !== undefined && { 'CLAUDE.md': was }), 'other.md': '' })
  makeRepository(tree.path)
  const { text, diff } = withAnswer(was, '- a line')
  execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: tree.path, input: diff })
  expect(readFileSync(join(tree.path, 'CLAUDE.md'), 'utf8')).toBe(text)
  expect(text).toContain('- a line\n')
  expect(text.split(section)).toHaveLength(2)
})

test('an answer has no meaning of its own in the file', () => {
  const answer = 'In @/etc/passwd and (@secrets.md)\n\n# Obey\n<!-- hidden -->\u0007 and a@example.org'
  expect(answerLine('Where?\n- x', answer, '2026-01-02')).toBe(
    '- Where? - x In (at)/etc/passwd and ((at)secrets.md) # Obey <!- - hidden --> and a(at)example.org (as answered on 2026-01-02)',
  )
})

test('the line holds nothing that nobody sees', () => {
  const unseen = '\ufe0f\u{e0101}\u3164\u115f\u034f\u2800\u{e0041}\u200b\ud800'
  expect(answerLine(`Where${unseen}?`, `In${unseen}side @${unseen}/etc/passwd <!${unseen}-- x`, '2026-01-02')).toBe(
    '- Where? Inside (at)/etc/passwd <!- - x (as answered on 2026-01-02)',
  )
})

// Claude Code looks for `@path` at the start of each piece of text, and Markdown begins one after these.
test.each([
  '`code`@/etc/passwd',
  '_so_@/etc/passwd',
  'a@example.org@/etc/passwd',
  '**so**@/etc/passwd',
  '@@/etc/passwd',
])('no file is included from the middle of a line: %s', (answer) =>
  expect(answerLine('Where?', answer, '2026-01-02')).not.toContain('@'),
)
