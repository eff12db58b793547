import { expect, test } from 'vitest'
import { isForSending } from './send-key.ts'

const none = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false }
const pressed = (change: object = {}, native: object = {}) => ({
  key: 'Enter',
  ...none,
  ...change,
  nativeEvent: { isComposing: false, keyCode: 13, ...native },
})

test.each([
  ['Enter', {}, 'send', true],
  ['Shift+Enter', { shiftKey: true }, 'send', false],
  ['Enter, turned round', {}, 'line', false],
  ['Shift+Enter, turned round', { shiftKey: true }, 'line', true],
  ['Ctrl+Enter', { ctrlKey: true }, 'line', true],
  ['⌘+Enter', { metaKey: true }, 'send', true],
  ['another key', { key: 'a' }, 'send', false],
] as const)('%s', (_name, change, does, sends) => expect(isForSending(pressed(change), does, false)).toBe(sends))

test('not while an input method composes, in no browser', () => {
  for (const native of [{ isComposing: true }, { keyCode: 229 }]) {
    expect(isForSending(pressed({}, native), 'send', false)).toBe(false)
    expect(isForSending(pressed({ ctrlKey: true }, native), 'send', false)).toBe(false)
  }
})

test('on a keyboard on the screen Enter makes a line', () => {
  expect(isForSending(pressed(), 'send', true)).toBe(false)
  expect(isForSending(pressed({ shiftKey: true }), 'line', true)).toBe(false)
  expect(isForSending(pressed({ ctrlKey: true }), 'send', true)).toBe(true)
})
