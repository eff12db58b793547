import { expect, test } from 'vitest'
import { hasInvisible, inOneLine, isUnseen, terminalSafe, visible } from './visible.ts'

test.each([
  ['an escape sequence', '\u001b[2Jok', '‹U+001B›[2Jok'],
  ['a carriage return, which would overwrite the line', 'rm -rf /\rls', 'rm -rf /‹U+000D›ls'],
  ['a backspace', 'a\bb', 'a‹U+0008›b'],
  ['a control character of the upper half', 'a\u009bb', 'a‹U+009B›b'],
  ['a change of direction', 'a\u202eb', 'a‹U+202E›b'],
  ['an isolate', '\u2066x\u2069', '‹U+2066›x‹U+2069›'],
  ['a zero-width space', 'r\u200bm', 'r‹U+200B›m'],
  ['a byte order mark', '\ufeffx', '‹U+FEFF›x'],
  ['a soft hyphen', 'r\u00adm', 'r‹U+00AD›m'],
  ['tags, which spell a hidden text', '\u{e0072}\u{e006d}', '‹U+E0072›‹U+E006D›'],
  ['a variation selector', 'a\ufe0f\u{e0100}', 'a‹U+FE0F›‹U+E0100›'],
  ['a filler that counts as a letter', 'a\u3164b\u115f', 'a‹U+3164›b‹U+115F›'],
  ['a joiner', 'a\u034fb', 'a‹U+034F›b'],
  ['a blank pattern', 'a\u2800b', 'a‹U+2800›b'],
  ['a space that is none', 'rm\u00a0-rf\u2003x\u3000', 'rm‹U+00A0›-rf‹U+2003›x‹U+3000›'],
  ['a line separator', 'a\u2028b', 'a‹U+2028›b'],
  ['half of a surrogate pair', 'a\ud800b', 'a‹U+D800›b'],
  ['a private character', '\ue000', '‹U+E000›'],
])('%s becomes visible', (_, text, shown) => {
  expect(visible(text)).toBe(shown)
  expect(hasInvisible(text)).toBe(true)
})

test('what can be seen stays as it is', () => {
  const text = 'git commit -m "Grüße, 世界, привет 🎉"\n\tcat <<EOF >x'
  expect(visible(text)).toBe(text)
  expect(hasInvisible(text)).toBe(false)
})

test('a text that spells such a sign is told apart from the character', () => {
  expect(visible('‹U+202E›')).not.toBe(visible('\u202e'))
})

test('each character without a shape counts as unseen, is named and can be removed', () => {
  const each = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u
  const codes = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter((one) =>
    each.test(one),
  )
  const text = codes.join('a')
  expect(codes.filter((one) => !isUnseen(` ${one}\u3000`))).toEqual([])
  expect(codes.filter((one) => !'\n\t'.includes(one) && visible(one) === one)).toEqual([])
  expect(inOneLine(text).replaceAll(' ', '')).toBe('a'.repeat(codes.length - 1))
})

test('a text in a terminal keeps emoji whole', () => {
  expect(terminalSafe('a\r\n❤\ufe0f👩\u200d💻')).toBe('a\n❤\ufe0f👩\u200d💻')
  expect(terminalSafe('\u001b[2J\u202e\ud800')).toBe('‹U+001B›[2J‹U+202E›‹U+D800›')
})
