import { expect, test } from 'vitest'
import { isTokenText, newToken } from './token-text.ts'

test('a token is 256 bits in letters and digits, with a beginning and a checksum by which scanners know it', () => {
  const tokens = Array.from({ length: 50 }, () => newToken())
  for (const token of tokens) expect(token).toMatch(/^iris_[0-9A-Za-z]{49}$/)
  expect(tokens.every(isTokenText)).toBe(true)
  expect(new Set(tokens).size).toBe(50)
  const [none, all] = [0, 255].map((byte) => newToken((bytes) => Buffer.alloc(bytes, byte)))
  expect(none).toMatch(/^iris_0{43}/)
  expect(isTokenText(all!)).toBe(true)
})

test('a token that was cut, mistyped or lengthened is none', () => {
  const token = newToken()
  const other = token.at(10) === 'x' ? 'y' : 'x'
  for (const wrong of [
    token.slice(0, -1),
    `${token}a`,
    ` ${token}`,
    `${token}\n`,
    token.replace('iris_', 'Iris_'),
    '',
    `${token.slice(0, 10)}${other}${token.slice(11)}`,
    `iris_${'0'.repeat(49)}`,
  ])
    expect(isTokenText(wrong)).toBe(false)
})
