import { expect, test } from 'vitest'
import { longSentences } from './sentences.ts'
import { retiredPhrases } from './words.ts'

test('caught: a retired phrase, over two lines of a page or a comment; not caught in the title of a test', () => {
  const page = 'It is left\nalone.\n\n| R1 | `test/spec/a.test.ts`: "what stands there" |'
  expect(retiredPhrases([['docs/a.md', page]])).toEqual(['docs/a.md says "left\nalone"; say not started, or unchanged'])
  expect(retiredPhrases([['src/a.ts', '/**\n * It is left\n * alone.\n */']])).toHaveLength(1)
})

test('caught: a sentence of 26 words, in a paragraph, in an item of a list and in a cell', () => {
  const words = (count: number): string => `It${' is'.repeat(count - 1)}.`
  const long = words(26)
  const breach = `a.md has a sentence of 26 words: ${long.slice(0, 60)}…`
  expect(longSentences([['a.md', `${words(25)} ${long}\n\n- ${long}\n\n| a | ${long} |\n`]])).toEqual([
    breach,
    breach,
    breach,
  ])
})

test('not caught: short sentences in a row, code, and a link with its address', () => {
  const short = 'One thought. '.repeat(40)
  const link = `[a](b.md) ${'`some code of ours` '.repeat(20)}`
  expect(longSentences([['a.md', `${short}\n\n\`\`\`sh\n${'echo '.repeat(50)}\n\`\`\`\n\n${link}`]])).toEqual([])
})
