import { expect, test } from 'vitest'
import { fileSize } from './file-size.ts'

test.each([
  [812, '812 bytes'],
  [12_345, '12 kB'],
  [1_400_000, '1.4 MB'],
  [2 ** 32, '4.3 GB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(fileSize(bytes)).toBe(text)
})
