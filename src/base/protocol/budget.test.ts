import { expect, test } from 'vitest'
import { amountText } from './budget.ts'

test.each([
  ['turns', 1, '1 turn'],
  ['turns', 2, '2 turns'],
  ['tokens', 1, '1 token'],
  ['cost', 0.5, '$0.5'],
] as const)('%s %d: %s', (limit, amount, text) => {
  expect(amountText(limit, amount)).toBe(text)
})
