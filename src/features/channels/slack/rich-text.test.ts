import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileMarkdown } from '../../../../test/support/hostile-markdown.ts'
import { richText } from './rich-text.ts'

test('an answer is a block of sections, quotes and code', () => {
  expect(richText('**Orders** at https://example.org\n\n> quoted\n\n```ts\nconst a = 1\n```')).toEqual({
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'Orders', style: { bold: true } },
          { type: 'text', text: ' at ' },
          { type: 'link', url: 'https://example.org' },
        ],
      },
      { type: 'rich_text_quote', elements: [{ type: 'text', text: 'quoted' }] },
      { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'const a = 1' }] },
    ],
  })
})

test('nothing in it mentions anybody, whatever was written', () => {
  const kinds = (markdown: string): string[] =>
    (richText(markdown)?.elements ?? []).flatMap(({ elements }) => elements.map(({ type }) => type))
  expect(kinds('<!channel> <@U1> @here [a](slack://x)')).toEqual(['text'])
  fc.assert(
    fc.property(hostileMarkdown, (markdown) => {
      expect(kinds(markdown).filter((kind) => kind !== 'text' && kind !== 'link')).toEqual([])
    }),
  )
})
