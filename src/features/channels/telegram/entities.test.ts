import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileMarkdown } from '../../../../test/support/hostile-markdown.ts'
import { entityText } from './entities.ts'

/** What each entity covers. */
function covered(markdown: string): [string, string][] {
  const { text, entities } = entityText(markdown, 4096)!
  return entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])
}

test('an answer is shown with entities, counted in UTF-16 units', () => {
  expect(covered('😀 **bold *both*** `code`\n\n> quoted **loud**\n\n```ts\nconst a = 1\n```\nend')).toEqual([
    ['bold', 'bold both'],
    ['italic', 'both'],
    ['code', 'code'],
    ['blockquote', 'quoted loud'],
    ['bold', 'loud'],
    ['pre', 'const a = 1'],
  ])
  expect(entityText('```ts\na\n```', 4096)).toEqual({
    text: 'a',
    entities: [{ type: 'pre', offset: 0, length: 1, language: 'ts' }],
  })
})

test('what is too long, has too much markup or no text is shown as it was written', () => {
  expect(entityText('**ab**', 1)).toBeUndefined()
  expect(entityText('**a** b '.repeat(101), 4096)).toBeUndefined()
  expect(entityText('```\n```', 4096)).toBeUndefined()
})

test('of any Markdown, entities are within the text, cover something, and code has no other look', () => {
  fc.assert(
    fc.property(hostileMarkdown, (markdown) => {
      const { text, entities } = entityText(markdown, 4096) ?? { text: '', entities: [] }
      for (const { type, offset, length } of entities) {
        expect(text.slice(offset, offset + length).trim()).not.toBe('')
        expect(offset + length).toBeLessThanOrEqual(text.length)
        if (type !== 'code' && type !== 'pre') continue
        const inside = entities.filter(
          (other) =>
            other.type !== type &&
            other.type !== 'blockquote' &&
            other.offset < offset + length &&
            other.offset + other.length > offset,
        )
        expect(inside).toEqual([])
      }
    }),
  )
})
