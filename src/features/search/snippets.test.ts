import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { expressionOf } from './expression.ts'
import type { Snippet } from './search-result.ts'
import { Snippets } from './snippets.ts'

const filler = (words: number): string => Array.from({ length: words }, (_, index) => `filler${index % 97}`).join(' ')

function snippetsOf(query: string, texts: readonly string[], now = () => 0): readonly Snippet[] {
  using database = new DatabaseSync(':memory:')
  const found = new Snippets(database, now).of(expressionOf(query)!, new Map(texts.map((text, place) => [place, text])))
  return texts.map((_, place) => found.get(place)!)
}

const matches = (snippet: Snippet): string[] => snippet.filter(({ isMatch }) => isMatch).map(({ text }) => text)
const whole = (snippet: Snippet): string => snippet.map(({ text }) => text).join('')

test('a match is found wherever it is in a long text', () => {
  const texts = [
    `order ${filler(40_000)}`,
    `${filler(20_000)} order ${filler(20_000)}`,
    `${filler(40_000)} order`,
    `${filler(105)} Order ${filler(3)}`,
  ]
  const snippets = snippetsOf('order', texts)
  expect(snippets.map(matches)).toEqual([['order'], ['order'], ['order'], ['Order']])
  expect(snippets.map((snippet) => [whole(snippet).at(0), whole(snippet).at(-1)])).toEqual([
    ['o', '…'],
    ['…', '…'],
    ['…', 'r'],
    ['…', '2'],
  ])
})

// FTS5's own snippet of this text takes minutes.
test('a megabyte of one word is cut like any other text', () => {
  const [snippet] = snippetsOf('word', ['word '.repeat(200_000)])
  expect(new Set(matches(snippet!))).toEqual(new Set(['word']))
})

test('a phrase across the end of a window is found, and no character is cut in two', () => {
  for (let length = 940; length < 1010; length += 5) {
    const [snippet] = snippetsOf('"two words"', [`${'x'.repeat(length)} two words ${filler(300)}`])
    expect(matches(snippet!).join(' ')).toBe('two words')
  }
  const [snippet] = snippetsOf('order', [`${'\u{1F600}'.repeat(2000)} order`])
  expect(whole(snippet!).isWellFormed()).toBe(true)
  expect(matches(snippet!)).toEqual(['order'])
})

test('the piece with all terms is preferred', () => {
  const [snippet] = snippetsOf('order fields', [`order ${filler(300)} the order has fields ${filler(300)}`])
  expect(matches(snippet!)).toEqual(['order', 'fields'])
})

test('once a page has taken its time, its other texts are shown with their beginnings', () => {
  let time = 0
  const texts = [`${filler(500)} order`, `${filler(500)} order`]
  const [first, second] = snippetsOf('order', texts, () => (time += 1500))
  expect(matches(first!)).toEqual(['order'])
  expect(matches(second!)).toEqual([])
  expect(whole(second!)).toMatch(/^filler0 .*…$/)
})
