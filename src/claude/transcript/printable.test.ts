import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable, printableName } from './printable.ts'

test.each([
  ['plain text, äöü 日本 🙂\n\tstays', 'plain text, äöü 日本 🙂\n\tstays'],
  ['windows\r\nlines', 'windows\nlines'],
  ['over\rwritten', 'over␍written'],
  ['\u001b]0;title\u0007', '␛]0;title␇'],
  ['\u009b31m', '<U+009B>31m'],
  ['a\u007f\u0000b', 'a␡␀b'],
  ['\u202Eevil\u2066\u2028x', '<U+202E>evil<U+2066><U+2028>x'],
  ['\u200Fevil\u061C\uD800x', '<U+200F>evil<U+061C><U+D800>x'],
])('%j', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('nothing that steers a terminal or the direction of writing is left of any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(text)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u)
      expect(printableName(text)).not.toContain('\n')
    }),
  )
})
