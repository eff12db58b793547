import { expect, test } from 'vitest'
import { streamedBlocks } from './streamed.ts'

test('each block can be read by itself, and only the last one changes while the text grows', () => {
  const text = 'One.\n\n- a\n\n- b\n\n```ts\nconst a = 1\n\nconst b = 2\n```\n\nTwo.\n\n| a |\n|---|\n| 1 |\n\nEnd.'
  const blocks = [
    'One.\n\n- a\n\n- b\n',
    '```ts\nconst a = 1\n\nconst b = 2\n```\n',
    'Two.\n',
    '| a |\n|---|\n| 1 |\n',
    'End.',
  ]
  expect(streamedBlocks(text)).toEqual(blocks)
  let before: readonly string[] = []
  for (let end = 1; end <= text.length; end += 1) {
    const now = streamedBlocks(text.slice(0, end))
    expect(now.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    before = now
  }
})

test.each([
  // The line above would be a heading for a moment.
  ['Text\n-', 'Text'],
  ['Text\n==', 'Text'],
  ['Text\n\n#', 'Text\n'],
  ['1', ''],
  ['Text\n``', 'Text'],
  ['```ts\ncode\n``', '```ts\ncode'],
  // A table is one from its second line on.
  ['Text\n\n| a | b', 'Text\n'],
  ['Text\n\n| a | b |\n', 'Text\n'],
  ['Text\n\n| a | b |\n|--', 'Text\n'],
  ['| a | b |\n|---|---|\n', '| a | b |\n|---|---|'],
  ['| a | b |\n|---|---|\n| 1', '| a | b |\n|---|---|\n| 1'],
  // Marks are closed before they are.
  ['so **bold', 'so **bold**'],
  ['so **bold ', 'so **bold** '],
  ['so **', 'so '],
  ['so **bold\n', 'so **bold**'],
  ['so *', 'so '],
  ['so **bold*', 'so **bold**'],
  ['so *it', 'so *it*'],
  ['so `code', 'so `code`'],
  ['so `', 'so '],
  ['`a * b` and **c', '`a * b` and **c**'],
  ['5 * 3', '5 * 3'],
  ['a*b', 'a*b'],
  ['- see [page](https://exa', '- see page'],
  ['see ![pic', 'see pic'],
  ['see [page](https://example.org)', 'see [page](https://example.org)'],
])('%j is shown as %j', (text, shown) => expect(streamedBlocks(text).join('')).toBe(shown))
