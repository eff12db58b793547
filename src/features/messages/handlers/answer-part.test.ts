import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TurnResult } from '../../../base/protocol/turn.ts'
import { withPart } from './answer-part.ts'

const answered = (response: string): TurnResult => ({ status: 'completed', response }) as TurnResult

/** All parts of a text, each from where the one before says. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { response, part } = withPart(answered(text), from)
    expect(part).toMatchObject({ from, length: text.length })
    parts.push(response!)
    from = part.next
  }
  return parts
}

test('the parts of a text are the text, each at most so long, and none ends or begins within a character', () => {
  const character = fc.oneof(fc.constant('😀'), fc.constant('a'), fc.constant('é'))
  const long = fc.tuple(fc.array(character, { maxLength: 9 }), fc.integer({ min: 0, max: 9000 }))
  fc.assert(
    fc.property(long, ([some, times]) => {
      const text = some.join('').repeat(times)
      fc.pre(text.length < 100_000)
      const parts = partsOf(text)
      expect(parts.join('')).toBe(text)
      expect(parts.every((part) => part.isWellFormed() && part.length <= 16_000)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('a part ends before a character that does not fit, and one that would begin within a character begins with it', () => {
  const text = `${'a'.repeat(15_999)}😀b`
  expect(partsOf(text).map(({ length }) => length)).toEqual([15_999, 3])
  expect(withPart(answered(text), 16_000)).toMatchObject({ response: '😀b', part: { from: 15_999 } })
})

test('behind the end there is no part, at the end an empty one', () => {
  expect(withPart(answered('four'), 4)).toMatchObject({ response: '', part: { from: 4, length: 4 } })
  expect(withPart(answered('four'), 4).part).not.toHaveProperty('next')
  expect(() => withPart(answered('four'), 5)).toThrow('The text has 4 characters')
})

test('the text of a turn that goes on, or failed, comes in parts too; a value comes once', () => {
  const failed = { status: 'failed', partialResponse: 'begun' } as TurnResult
  expect(withPart(failed, 2)).toMatchObject({ partialResponse: 'gun', part: { from: 2, length: 5 } })
  expect(withPart(failed, 2)).not.toHaveProperty('response')
  const all = { ...answered('said'), everything: 'I look. said' }
  expect(withPart(all, 2)).toEqual({ status: 'completed', everything: 'look. said', part: { from: 2, length: 12 } })
  const typed = { ...answered('said'), value: { port: 1 } }
  expect(withPart(typed, 0)).toMatchObject({ value: { port: 1 } })
  expect(withPart(typed, 1)).not.toHaveProperty('value')
  expect(withPart({ status: 'async' } as TurnResult, 0)).toEqual({ status: 'async', part: { from: 0, length: 0 } })
})
