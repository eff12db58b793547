import { expect, test } from 'vitest'
import { duration, timeLeft } from './durations.ts'
import { bytes, cost, decimal, fileSize, percent } from './figures.ts'

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [4.23, '4.2 ms'],
  [1500, '1.5 sec'],
  [59_400, '59 sec'],
  [200_000, '3 min 20 sec'],
  [3_600_000, '1 hr'],
  [7_500_000, '2 hr 5 min'],
  [90_000_000, '1 day 1 hr'],
])('%d ms is %s', (ms, text) => expect(duration(ms)).toBe(text))

test.each([
  [0, '0 B'],
  [1023, '1,023 B'],
  [1_468_006, '1.4 MiB'],
  [209_715_200, '200 MiB'],
])('%d bytes are %s', (count, text) => expect(bytes(count)).toBe(text))

test('files have decimal units', () => {
  expect([fileSize(812), fileSize(12_400), fileSize(1_400_000)]).toEqual(['812 bytes', '12 kB', '1.4 MB'])
  expect(decimal(3)).toBe('3.0')
})

test('small costs keep their digits', () => {
  expect([cost(0), cost(0.0042), cost(1.254)]).toEqual(['$0.00', '$0.0042', '$1.25'])
  expect(percent(0.374)).toBe('37%')
})

test.each([
  [500, '1 sec'],
  [95_200, '1 min 36 sec'],
  [496_000, '8 min'],
  [3_900_000, '1 hr 5 min'],
])('%d ms are left: %s', (ms, text) => expect(timeLeft(ms)).toBe(text))
