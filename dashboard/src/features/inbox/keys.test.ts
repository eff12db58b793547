import { expect, test } from 'vitest'
import { keyAction, nextFocus, Stillness } from './keys.ts'

const pressed = (key: string, more: object = {}) => ({
  key,
  repeat: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
})
const onRow = { isRow: true, isRequest: false, isField: false, hasLetters: true }

test('single keys act on the focused row, not in fields, not with others, and can be switched off', () => {
  expect(['1', '2', 'e', 'h', 'r', 'z', 'x', '?', 'j'].map((key) => keyAction(pressed(key), onRow))).toEqual([
    'allow',
    'deny',
    'done',
    'later',
    'retry',
    'undo',
    'select',
    'help',
    'next',
  ])
  // No single key grants a right for longer.
  for (const key of ['s', 'p', 'w']) expect(keyAction(pressed(key), onRow)).toBe('request')
  for (const key of ['3', '4']) expect(keyAction(pressed(key), onRow)).toBeUndefined()
  // The letters on a request's buttons, unless the request itself takes them.
  expect(['a', 'd'].map((key) => keyAction(pressed(key), onRow))).toEqual(['allow', 'deny'])
  for (const key of ['a', 'd', 's', 'p', 'w'])
    expect(keyAction(pressed(key), { ...onRow, isRequest: true })).toBeUndefined()
  expect(keyAction(pressed('e'), { ...onRow, isField: true })).toBeUndefined()
  expect(keyAction(pressed('e', { ctrlKey: true }), onRow)).toBeUndefined()
  expect(keyAction(pressed('e', { repeat: true }), onRow)).toBeUndefined()
  expect(keyAction(pressed('j', { repeat: true }), onRow)).toBe('next')
  const off = { ...onRow, hasLetters: false }
  for (const key of ['1', 'e', 'j', '?']) expect(keyAction(pressed(key), off)).toBeUndefined()
  expect(keyAction(pressed('ArrowDown'), off)).toBe('next')
})

test('a button in a row keeps Enter and Space', () => {
  const onButton = { ...onRow, isRow: false }
  for (const key of ['Enter', ' ']) expect(keyAction(pressed(key), onButton)).toBeUndefined()
  expect(keyAction(pressed('Enter'), onRow)).toBe('open')
  expect(keyAction(pressed('e'), onButton)).toBe('done')
})

test('a number counts only on a row that is in sight and unmoved for half a second', () => {
  const still = new Stillness()
  expect(still.isStill('a', 0)).toBe(false)
  still.note('a', 100, 0)
  expect([still.isStill('a', 499), still.isStill('a', 500)]).toEqual([false, true])
  still.note('a', 100.5, 600)
  expect(still.isStill('a', 600)).toBe(true)
  still.note('a', 140, 700)
  expect([still.isStill('a', 1100), still.isStill('a', 1200)]).toEqual([false, true])
  still.note('a', undefined, 1300)
  expect(still.isStill('a', 2000)).toBe(false)
  still.note('a', 140, 1400)
  expect(still.isStill('a', 1899)).toBe(false)
})

test('the focus stays with its row wherever that goes, and after its end goes to the next', () => {
  expect(nextFocus(['a', 'b', 'c'], ['c', 'a', 'b'], 'b')).toBe('b')
  expect(nextFocus(['a', 'b', 'c'], ['a', 'c'], 'b')).toBe('c')
  expect(nextFocus(['a', 'b', 'c'], ['a'], 'c')).toBe('a')
  expect(nextFocus(['a'], [], 'a')).toBeUndefined()
  expect(nextFocus(['a'], ['b'], undefined)).toBeUndefined()
})
