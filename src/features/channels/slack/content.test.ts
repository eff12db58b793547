import { expect, test } from 'vitest'
import { contentOf } from './content.ts'

test('links that nobody ended take no longer than other texts', () => {
  // Quadratic, this took minutes.
  const text = '<http:'.repeat(300_000)
  expect(contentOf({ ts: '1.1', text }, 'U0SHOPBOT').text).toBe(text)
})
