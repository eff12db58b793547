import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileMarkdown } from '../../../test/support/hostile-markdown.ts'
import { markdownBlocks } from './markdown.ts'

const shown = (markdown: string): string[] =>
  markdownBlocks(markdown)!.map((block) =>
    block.kind === 'code' ? block.text : block.runs.map(({ text }) => text).join(''),
  )

test('looks become runs, and what looks the same is one run', () => {
  expect(markdownBlocks('# Orders\n\nAn **order** is `one` *row*, ~~two~~ _**three**_.')).toEqual([
    {
      kind: 'text',
      runs: [
        { text: 'Orders', bold: true },
        { text: '\n\nAn ' },
        { text: 'order', bold: true },
        { text: ' is ' },
        { text: 'one', code: true },
        { text: ' ' },
        { text: 'row', italic: true },
        { text: ', ' },
        { text: 'two', strike: true },
        { text: ' ' },
        { text: 'three', italic: true, bold: true },
        { text: '.' },
      ],
    },
  ])
})

test('code, quotes and tables are blocks of their own', () => {
  const blocks = markdownBlocks('Look:\n\n```ts\nconst a = 1\n```\n> so\n> `it` is\n\n| a | b |\n|---|---|\n| 1 | 2 |')
  expect(blocks).toEqual([
    { kind: 'text', runs: [{ text: 'Look:' }] },
    { kind: 'code', language: 'ts', text: 'const a = 1' },
    { kind: 'quote', runs: [{ text: 'so\n' }, { text: 'it', code: true }, { text: ' is' }] },
    { kind: 'code', language: '', text: '| a | b |\n|---|---|\n| 1 | 2 |' },
  ])
})

test.each([
  ['- a\n- b\n  - c\n    1. d', '• a\n• b\n  ◦ c\n    1. d'],
  ['3. a\n4. b', '3. a\n4. b'],
  ['- [x] a\n- [ ] b', '• ☑ a\n• ☐ b'],
  ['a\n\n\n\nb\nc', 'a\n\nb\nc'],
  ['a  \nb', 'a\nb'],
  ['1 \\* 2 & <b>3</b> &amp; snake_case_name 2*3*4', '1 * 2 & <b>3</b> &amp; snake_case_name 234'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ['a\n\n---\n\nb', 'a\n\n———\n\nb'],
  ['```\nopen', 'open'],
])('%j is shown as %j', (markdown, text) => {
  expect(shown(markdown).join('\n')).toBe(text)
})

test('a link shows where it leads, and only http and https are links', () => {
  const runs = (markdown: string) => markdownBlocks(markdown)!.flatMap((block) => ('runs' in block ? block.runs : []))
  const address = 'https://example.org/a'
  expect(runs(`see [https://bank.example](${address})`)).toEqual([
    { text: 'see https://bank.example (' },
    { text: address, url: true },
    { text: ')' },
  ])
  expect(runs(`<${address}>`)).toEqual([{ text: address, url: true }])
  expect(runs(`![alt](${address})`)).toEqual([{ text: 'alt (' }, { text: address, url: true }, { text: ')' }])
  expect(runs(`[](${address})`)).toEqual([{ text: address, url: true }])
  expect(runs(`[a](${address})`)[0]).toEqual({ text: 'a (' })
  expect(runs('[x](javascript:alert(1)) and www.example.org')).toEqual([
    { text: 'x (javascript:alert(1)) and www.example.org' },
  ])
})

test('hostile Markdown is shown or refused, and each of its runs says something', () => {
  fc.assert(
    fc.property(hostileMarkdown, (markdown) => {
      const blocks = markdownBlocks(markdown) ?? []
      const texts = blocks.flatMap((block) =>
        block.kind === 'code' ? [block.text] : block.runs.map(({ text }) => text),
      )
      expect(texts).not.toContain('')
    }),
  )
})

test.each(['>', '- ', '*', '_', '[', '`', '~~', '![', '<', '1. ', '|', '\\', '# ', '> - ', '[a](', '**a', '[a]: '])(
  'four thousand characters of %j are read or refused',
  (piece) => {
    const markdown = piece.repeat(Math.floor(4096 / piece.length))
    const blocks = markdownBlocks(markdown)
    expect(blocks === undefined || Array.isArray(blocks)).toBe(true)
  },
)

test.each([
  ['marks of emphasis', '_a', 1000],
  ['quotes in each other', '>', 49],
  ['lists and quotes in each other', '- > ', 24],
  ['characters', 'a', 20_000],
])('above so many %s a text is not read: the parser would take the square of their number', (_what, unit, most) => {
  expect(markdownBlocks(unit.repeat(most))).toBeDefined()
  expect(markdownBlocks(unit.repeat(most + 1))).toBeUndefined()
})
