import { expect, test } from 'vitest'
import { marks, placeOf } from './scale.ts'

test.each([
  [0, [0]],
  [7, [0, 1, 2, 3, 4, 5, 6, 7]],
  [850, [0, 200, 400, 600, 800]],
  [12_400, [0, 2000, 4000, 6000, 8000, 10_000, 12_000]],
  [2 * 3_600_000, [0, 1, 2, 3, 4, 5, 6, 7, 8].map((quarter) => quarter * 900_000)],
  [30 * 86_400_000, [0, 4, 8, 12, 16, 20, 24, 28].map((days) => days * 86_400_000)],
])('a scale of %i ms has few and round marks', (length, expected) => {
  expect(marks(length, 8)).toEqual(expected)
})

test('a span lies where its time is; one of a frame without length begins at its edge', () => {
  expect(placeOf(1500, 2000, { from: 1000, to: 3000 })).toEqual({ left: '25%', width: '25%' })
  expect(placeOf(1000, 1000, { from: 1000, to: 1000 })).toEqual({ left: '0%', width: '0%' })
})
