import { expect, test } from 'vitest'
import { curveOf, labelOf, layoutOf } from './layout.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => `team-${index}`)

test.each([1, 2, 3, 7, 61, 200])('labels of %i teams lie on lines of their own, inside the map', (count) => {
  const { places, height, width } = layoutOf(names(count), 900)
  for (const side of ['left', 'right']) {
    const lines = places.filter((place) => place.side === side).map(({ y }) => y)
    const sorted = lines.toSorted((a, b) => a - b)
    for (const [index, y] of sorted.entries()) {
      expect(y).toBeGreaterThan(8)
      expect(y).toBeLessThan(height - 8)
      expect(y - (sorted[index - 1] ?? -18)).toBeGreaterThanOrEqual(18)
    }
  }
  for (const { x, side } of places) expect(side === 'left' ? x < width / 2 : x > width / 2).toBe(true)
})

test('a label is cut so that it stays inside the map', () => {
  expect(labelOf('short', 900)).toBe('short')
  const cut = labelOf('a'.repeat(100), 640)
  expect(cut).toMatch(/^a+…$/)
  expect(cut.length * 7.5).toBeLessThan(640 * 0.25)
})

test('there and back are two lines', () => {
  const [a, b] = [
    { x: 10, y: 10 },
    { x: 200, y: 150 },
  ]
  const map = { width: 300, height: 200 }
  const [there, back] = [curveOf(a, b, map).middle, curveOf(b, a, map).middle]
  expect(Math.hypot(there.x - back.x, there.y - back.y)).toBeGreaterThan(10)
})
