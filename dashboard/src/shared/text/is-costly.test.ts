import { expect, test } from 'vitest'
import { isCostly } from './is-costly.ts'

test.each(['1. ', '> ', '- ', '**a_', '*a**b', '*a_ ', '](', '[a](', '[a]: b\n', '`a ', '|-\n', '\n', '&', '> 1. * '])(
  'a text of many %j is shown as it is',
  (unit) => {
    expect(isCostly(unit.repeat(100_000 / unit.length))).toBe(true)
    // Neither a table before it nor code that seems not to end hides it.
    expect(isCostly(`|a|\n|-|\n${unit.repeat(100_000 / unit.length)}`)).toBe(true)
    expect(isCostly(`<!--\n\`\`\`\n-->\n${unit.repeat(100_000 / unit.length)}`)).toBe(true)
    expect(isCostly(`\`\`\`\na\n\`\`\`\n${unit.repeat(100_000 / unit.length)}`)).toBe(true)
  },
)

test('what people write is read as Markdown: long pages, tables, and code of any length', () => {
  const paragraph = 'A **word**, `code`, [a link](https://iris.example) and _more_ of it.\n> > quoted\n1. - [ ] one\n\n'
  expect(isCostly(paragraph.repeat(1000))).toBe(false)
  expect(isCostly(`| a | b |\n|---|---|\n${'| `x` | y |\n'.repeat(400)}`)).toBe(false)
  expect(isCostly(`Look:\n\n\`\`\`ts\n${'const [a, b] = c * d_e\n'.repeat(2000)}\`\`\`\n\nSo.`)).toBe(false)
})
