import { expect, test } from 'vitest'
import { bytes, cost, duration, percent } from './figures.ts'

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1500, '1.5 s'],
  [59_400, '59 s'],
  [200_000, '3 min 20 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [90_000_000, '1 d 1 h'],
])('%d ms is %s', (ms, text) => expect(duration(ms)).toBe(text))

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1_468_006, '1.4 MiB'],
  [209_715_200, '200 MiB'],
])('%d bytes are %s', (count, text) => expect(bytes(count)).toBe(text))

test('small costs keep their digits', () => {
  expect([cost(0), cost(0.0042), cost(1.254)]).toEqual(['$0.00', '$0.0042', '$1.25'])
  expect(percent(0.374)).toBe('37 %')
})
